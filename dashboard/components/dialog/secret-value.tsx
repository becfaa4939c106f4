import styles from '../button/copy-button.module.css';
import { CopyButton } from '../button/copy-button.tsx';

/** A secret that the service does not show again. It is kept only while its dialog is open. */
export const SecretValue = ({ value, what }: { value: string; what: string }) => (
  <div className={styles.secret}>
    <code className={styles.value}>{value}</code>
    <CopyButton text={value} what={what} />
  </div>
);
