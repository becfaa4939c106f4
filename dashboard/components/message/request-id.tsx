import { CopyButton } from '../button/copy-button.tsx';
import styles from './request-id.module.css';

/** A failed request's id, for a search in the logs. */
export const RequestId = ({ id }: { id: string }) => (
  <p className={styles.request}>
    Request id <code>{id}</code> <CopyButton text={id} what="request id" />
  </p>
);
