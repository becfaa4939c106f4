import { useState } from 'react';
import { endSession } from '../../app/session/browser-session.ts';
import { Button } from '../../components/button/button.tsx';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { Actions, DialogActions } from '../../components/form/form.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import styles from './account.module.css';

/** Signs out of this browser or of all. */
export function Sessions() {
  const [busy, setBusy] = useState<'here' | 'everywhere'>();
  const [failure, setFailure] = useState<unknown>();
  const [isConfirming, setConfirming] = useState(false);
  const end = async (where: 'here' | 'everywhere') => {
    setBusy(where);
    setFailure(undefined);
    try {
      await endSession(where === 'everywhere');
    } catch (error) {
      setFailure(error);
      setBusy(undefined);
    }
  };
  return (
    <div className={styles.sessions}>
      <p>
        If you lose a device, sign out everywhere. If someone may know your password, change it: all other browsers are
        then signed out within 10 minutes.
      </p>
      {failure !== undefined && !isConfirming && <ErrorNotice error={failure} />}
      <Actions>
        <Button isBusy={busy === 'here'} onClick={() => end('here')}>
          Sign out here
        </Button>
        <Button onClick={() => setConfirming(true)}>Sign out everywhere…</Button>
      </Actions>
      <Dialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title="Sign out everywhere?"
        lead="This signs you out of every browser at once, including this one. Unsaved changes are lost."
      >
        {failure !== undefined && <ErrorNotice error={failure} />}
        <DialogActions onClose={() => setConfirming(false)}>
          <Button variant="danger" isBusy={busy === 'everywhere'} onClick={() => end('everywhere')}>
            Sign out everywhere
          </Button>
        </DialogActions>
      </Dialog>
    </div>
  );
}
