import type { createKey } from '../../../shared/messages/dashboard/keys.ts';
import type { Answer } from '../../app/api/send.ts';
import { SecretValue } from '../../components/dialog/secret-value.tsx';
import { ShowOnceDialog } from '../../components/dialog/show-once-dialog.tsx';
import { CurlCommand } from './curl-command.tsx';
import styles from './keys.module.css';

type Props = { made: Answer<typeof createKey>; onClose: () => void };

/** A new key's value, shown once, with the first request to make with it. */
export const NewKeyDialog = ({ made: { key, value }, onClose }: Props) => (
  <ShowOnceDialog
    onClose={onClose}
    title="Store the key now"
    lead="It is shown only once."
    stored="I have stored the key"
  >
    <SecretValue value={value} what="API key" />
    <div className={styles.try}>
      <p>Try it in a terminal:</p>
      <CurlCommand apiKey={value} permissions={key.permissions} />
    </div>
  </ShowOnceDialog>
);
