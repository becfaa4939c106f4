import type { createKey } from '../../../shared/messages/dashboard/keys.ts';
import type { Answer } from '../../app/send.ts';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { FirstRequest } from './first-request.tsx';
import styles from './keys.module.css';

type Props = { made: Answer<typeof createKey>; close: () => void };

/** The value of a new key, once, with the first request that it can make. */
export const NewKey = ({ made: { key, value }, close }: Props) => (
  <SecretDialog
    title="Keep the key now"
    lead="This is the only time that it is shown."
    what="key"
    stored="I have stored the key"
    close={close}
  >
    <SecretOnce value={value} what="API key" />
    <div className={styles.try}>
      <p>Try it in a terminal:</p>
      <FirstRequest value={value} permissions={key.permissions} />
    </div>
  </SecretDialog>
);
