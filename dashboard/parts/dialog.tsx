import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { session } from '../app/browser-session.ts';
import { buttonClass } from './button.tsx';
import styles from './dialog.module.css';

type Props = {
  isOpen: boolean;
  close: () => void;
  title: string;
  lead?: ReactNode;
  children: ReactNode;
};

/**
 * A dialog over the page. A press beside it does not close it, so that no typed text is lost; the focus returns to
 * what opened it.
 */
export function Dialog({ isOpen, close, title, lead, children }: Props) {
  // While the password is asked for, Escape belongs to that dialog.
  const change = (open: boolean) => !open && session.state() !== 'interrupted' && close();
  return (
    <Base.Root open={isOpen} onOpenChange={change} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup className={styles.popup}>
            <div className={styles.head}>
              <div>
                <Base.Title className={styles.title}>{title}</Base.Title>
                {lead && <Base.Description className={styles.lead}>{lead}</Base.Description>}
              </div>
              <Base.Close className={buttonClass('quiet', true)} aria-label="Close">
                <X aria-hidden="true" />
              </Base.Close>
            </div>
            {children}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
