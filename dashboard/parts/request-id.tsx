import { Copy } from './copy.tsx';
import styles from './request-id.module.css';

/** Names a failed request, for whoever looks into the logs. */
export const RequestId = ({ id }: { id: string }) => (
  <p className={styles.request}>
    Request id <code>{id}</code> <Copy text={id} what="request id" />
  </p>
);
