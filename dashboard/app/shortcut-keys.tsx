import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { wantsShortcuts } from './preferences.ts';
import { ShortcutList } from './shortcut-list.tsx';
import { createKeyReader, isTyping } from './shortcuts.ts';

/** Obeys the shortcuts, and shows them. */
export function ShortcutKeys() {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const read = createKeyReader();
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (!wantsShortcuts() || event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
      // An open dialog or menu has the keyboard.
      if (target.closest('dialog, [role="dialog"], [role="menu"]')) return;
      const found = read(event.key, Date.now());
      if (!found) return;
      event.preventDefault();
      if (found.to === undefined) setOpen(true);
      else navigate({ to: found.to });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [navigate]);
  return (
    <Dialog
      isOpen={isOpen}
      close={() => setOpen(false)}
      title="Keyboard shortcuts"
      lead="They can be switched off on the Account page."
    >
      <ShortcutList />
    </Dialog>
  );
}
