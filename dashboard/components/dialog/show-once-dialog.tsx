import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useBeforeUnloadWarning } from '../../app/browser/before-unload.ts';
import { Button } from '../button/button.tsx';
import { Actions } from '../form/form.tsx';
import { Notice } from '../message/notice.tsx';
import styles from './dialog.module.css';
import { Dialog } from './dialog.tsx';

type Props = {
  title: string;
  lead: string;
  /** The person's confirmation, in the first person. */
  stored: string;
  onClose: () => void;
  children: ReactNode;
};

/** Shows a value once. Stays open, even on Escape or Back, until the person confirms that it is stored. */
export function ShowOnceDialog({ title, lead, stored, onClose, children }: Props) {
  const [isStored, setStored] = useState(false);
  const [isWarned, setWarned] = useState(false);
  const refuse = () => setWarned(true);
  useBeforeUnloadWarning(!isStored);
  useBlocker({
    shouldBlockFn: () => {
      if (!isStored) refuse();
      return !isStored;
    },
    enableBeforeUnload: false,
  });
  return (
    <Dialog isOpen onClose={isStored ? onClose : refuse} title={title} lead={lead}>
      {children}
      <label className={styles.stored}>
        <input type="checkbox" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
        {stored}
      </label>
      {isWarned && !isStored && (
        <div role="alert">
          <Notice tone="warn">
            It will not be shown again. Confirm above that you have stored it, then close this dialog.
          </Notice>
        </div>
      )}
      <Actions>
        <Button variant="primary" aria-disabled={!isStored} onClick={onClose}>
          Done
        </Button>
      </Actions>
    </Dialog>
  );
}
