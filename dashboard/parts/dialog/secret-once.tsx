import styles from '../button/copy.module.css';
import { Copy } from '../button/copy.tsx';

/** A secret that the service does not show again. It is kept only while its dialog is open. */
export const SecretOnce = ({ value, what }: { value: string; what: string }) => (
  <div className={styles.secret}>
    <code className={styles.value}>{value}</code>
    <Copy text={value} what={what} />
  </div>
);
