import { Dialog } from '@base-ui/react/dialog';
import { Menu, X } from 'lucide-react';
import { useState } from 'react';
import { buttonClass } from '../../components/button/button.tsx';
import dialog from '../../components/dialog/dialog.module.css';
import styles from '../navigation/sidebar.module.css';
import { Brand, Navigation } from '../navigation/sidebar.tsx';

/** The sidebar of a narrow window. */
export function NavigationDrawer({ className }: { className: string | undefined }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setOpen}>
      <Dialog.Trigger className={className} aria-label="Pages">
        <Menu aria-hidden="true" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={dialog.backdrop} />
        <Dialog.Popup className={styles.drawer} aria-label="Pages">
          <div className={styles.drawerHead}>
            <Brand />
            <Dialog.Close className={buttonClass('quiet', true)} aria-label="Close">
              <X aria-hidden="true" />
            </Dialog.Close>
          </div>
          <Navigation onNavigate={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
