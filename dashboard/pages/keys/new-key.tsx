import { useState } from 'react';
import type { createKey } from '../../../shared/messages/dashboard/keys.ts';
import type { Answer } from '../../app/send.ts';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Actions } from '../../parts/form.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { firstRequest } from '../../words/permissions.ts';
import styles from './keys.module.css';

type Props = { made: Answer<typeof createKey>; close: () => void };

/** The value of a new key, once, with the first request that it can make. */
export function NewKey({ made: { key, value }, close }: Props) {
  const [isStored, setStored] = useState(false);
  const line = firstRequest(location.origin, value, key.permissions);
  return (
    <Dialog isOpen close={close} title="Keep the key now" lead="This is the only time that it is shown.">
      <SecretOnce value={value} what="API key" />
      <div className={styles.try}>
        <p>Try it in a terminal:</p>
        <code className={styles.curl}>{line}</code>
        <Copy text={line} what="curl line" />
      </div>
      <label className={styles.stored}>
        <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />I have stored
        the key
      </label>
      <Actions>
        <Button look="primary" aria-disabled={!isStored} onClick={close}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}
