import { useBlocker } from '@tanstack/react-router';
import { useBeforeUnloadWarning } from '../../app/browser/before-unload.ts';
import { Button } from '../button/button.tsx';
import { Actions } from '../form/form.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before unsaved changes are lost: in a dialog within the dashboard, by the browser when the tab closes. */
export function UnsavedChangesGuard({ isDirty }: { isDirty: boolean }) {
  useBeforeUnloadWarning(isDirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: false,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog isOpen onClose={blocker.reset} title="Leave without saving?" lead="Your changes here would be lost.">
      <Actions>
        <Button variant="primary" data-back onClick={blocker.reset}>
          Stay here
        </Button>
        <Button variant="danger" onClick={blocker.proceed}>
          Discard and leave
        </Button>
      </Actions>
    </Dialog>
  );
}
