import styles from './copy.module.css';
import { Copy } from './copy.tsx';

/** A secret that the service does not show again. It lives no longer than its dialog. */
export const SecretOnce = ({ value, what }: { value: string; what: string }) => (
  <div className={styles.secret}>
    <code className={styles.value}>{value}</code>
    <Copy text={value} what={what} />
  </div>
);
