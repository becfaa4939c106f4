import type { createKey } from '../../../shared/messages/dashboard/keys.ts';
import type { Answer } from '../../app/send.ts';
import { OnceDialog } from '../../parts/once-dialog.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import styles from './keys.module.css';
import { RequestLine } from './request-line.tsx';

type Props = { made: Answer<typeof createKey>; close: () => void };

/** The value of a new key, once, with the first request that it can make. */
export const NewKey = ({ made: { key, value }, close }: Props) => (
  <OnceDialog
    close={close}
    title="Keep the key now"
    lead="This is the only time that it is shown."
    stored="I have stored the key"
  >
    <SecretOnce value={value} what="API key" />
    <div className={styles.try}>
      <p>Try it in a terminal:</p>
      <RequestLine apiKey={value} permissions={key.permissions} />
    </div>
  </OnceDialog>
);
