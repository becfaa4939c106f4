import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { areShortcutsEnabled } from '../browser/preferences.ts';
import { closePalette, openPalette, shownPalette, subscribeToPalette } from '../navigation/palette-state.ts';
import { focusRow, focusSearch } from './list-focus.ts';
import { ShortcutList } from './shortcut-list.tsx';
import { createShortcutMatcher, isTyping } from './shortcuts.ts';

/** Returns whether an open dialog or menu has the keyboard. */
const isDialogOpen = () => document.querySelector('[role="dialog"], [role="menu"]') !== null;

/** Runs the shortcuts, and lists them. */
export function KeyboardShortcuts() {
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const match = createShortcutMatcher();
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
        if (isDialogOpen()) return;
        event.preventDefault();
        openPalette();
        return;
      }
      const target = event.target as HTMLElement;
      if (!areShortcutsEnabled() || event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
      // An open dialog or menu has the keyboard.
      if (target.closest('dialog, [role="dialog"], [role="menu"]')) return;
      const found = match(event.key, Date.now());
      if (!found) return;
      event.preventDefault();
      if (found.to !== undefined) navigate({ to: found.to });
      else if (found.action === 'help') setOpen(true);
      else if (found.action === 'search') focusSearch();
      else focusRow(found.action === 'next' ? 1 : -1);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate]);
  const Palette = useSyncExternalStore(subscribeToPalette, shownPalette);
  return (
    <>
      {Palette && <Palette onClose={closePalette} />}
      <Dialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Keyboard shortcuts"
        lead="Single letters can be switched off on the Account page."
      >
        <ShortcutList />
      </Dialog>
    </>
  );
}
