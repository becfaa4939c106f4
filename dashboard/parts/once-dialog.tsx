import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { Dialog } from './dialog.tsx';
import { Actions } from './form.tsx';
import { Notice } from './notice.tsx';

type Props = {
  title: string;
  lead: string;
  /** What the person confirms, in the first person. */
  stored: string;
  close: () => void;
  children: ReactNode;
};

/** Shows what is shown once. It stays, also on Escape, until the person says that it is stored. */
export function OnceDialog({ title, lead, stored, close, children }: Props) {
  const [isStored, setStored] = useState(false);
  const [isWarned, setWarned] = useState(false);
  return (
    <Dialog isOpen close={() => (isStored ? close() : setWarned(true))} title={title} lead={lead}>
      {children}
      <label className={styles.stored}>
        <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
        {stored}
      </label>
      {isWarned && !isStored && (
        <div role="alert">
          <Notice tone="warn">It is not shown again. Say above that you have it, then close this.</Notice>
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
