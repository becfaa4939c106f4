import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './copy.module.css';
import { Dialog } from './dialog.tsx';
import { Actions } from './form.tsx';
import { Notice } from './notice.tsx';

type Props = {
  title: string;
  lead: string;
  /** What is shown only here, such as "key". */
  what: string;
  /** What the person confirms before the end. */
  stored: string;
  close: () => void;
  children: ReactNode;
};

/** Shows something that cannot be shown again. Whoever closes it without having stored it is asked once. */
export function SecretDialog({ title, lead, what, stored, close, children }: Props) {
  const [isStored, setStored] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const leave = () => (isStored || isAsked ? close() : setAsked(true));
  return (
    <Dialog isOpen close={leave} title={title} lead={lead}>
      {children}
      <label className={styles.stored}>
        <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
        {stored}
      </label>
      {isAsked && !isStored && (
        <div role="alert">
          <Notice
            tone="warn"
            title={`You have not stored the ${what} yet. It is never shown again.`}
            action={<Button onClick={close}>Close anyway</Button>}
          />
        </div>
      )}
      <Actions>
        <Button look="primary" aria-disabled={!isStored} onClick={close}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}
