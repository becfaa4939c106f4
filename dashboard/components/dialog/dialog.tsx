import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { session } from '../../app/session/browser-session.ts';
import { buttonClass } from '../button/button.tsx';
import { classNames } from '../class-names.ts';
import styles from './dialog.module.css';

type Props = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  lead?: ReactNode;
  children: ReactNode;
};

/** The first element to focus: a field to fill in, otherwise the cancel button, so that Enter does no harm. */
const FIRST = 'input:not([readonly], :disabled), select, [data-back]';

/**
 * A dialog over the page. A click outside does not close it, so that typed text is kept; the focus returns to the
 * element that opened it.
 */
export function Dialog({ isOpen, onClose, title, lead, children }: Props) {
  // While the session dialog is open, it handles Escape.
  const change = (open: boolean) => !open && session.state() !== 'interrupted' && onClose();
  const popup = useRef<HTMLDivElement>(null);
  const find = (selector: string) => popup.current?.querySelector<HTMLElement>(selector);
  const first = () => {
    const found = find(FIRST);
    return (found?.matches('[type="radio"]') ? find('input:checked') : undefined) ?? found ?? true;
  };
  return (
    <Base.Root open={isOpen} onOpenChange={change} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup className={styles.popup} ref={popup} initialFocus={first}>
            <div className={styles.head}>
              <Base.Title className={styles.title}>{title}</Base.Title>
              {lead && <Base.Description className={styles.lead}>{lead}</Base.Description>}
            </div>
            {children}
            <Base.Close className={classNames(buttonClass('quiet', true), styles.close)} aria-label="Close">
              <X aria-hidden="true" />
            </Base.Close>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
