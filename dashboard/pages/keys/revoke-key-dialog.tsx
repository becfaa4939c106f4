import { useState } from 'react';
import { type KeyView, revokeKey } from '../../../shared/messages/dashboard/keys.ts';
import { call } from '../../app/browser-session.ts';
import { noticeLostRights } from '../../app/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { PlainField } from '../../parts/field.tsx';
import { Actions } from '../../parts/form.tsx';
import { toast } from '../../parts/toasts.ts';
import { refreshKeys } from './keys-query.ts';

/** Nothing brings a revoked key back, so its name is typed. */
export function RevokeKeyDialog({ apiKey, close }: { apiKey: KeyView; close: () => void }) {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const revoke = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await call(revokeKey, { params: { id: apiKey.key_id } });
      toast(`The key ${apiKey.name} is revoked.`);
      close();
      await refreshKeys();
    } catch (error) {
      noticeLostRights(error);
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      close={close}
      title={`Revoke “${apiKey.name}”?`}
      lead="The next request with this key is refused. Nothing brings the key back."
    >
      {failure !== undefined && <Failure error={failure} />}
      <PlainField
        label={`Type “${apiKey.name}” to confirm`}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
      <Actions>
        <Button look="danger" isBusy={isBusy} aria-disabled={typed.trim() !== apiKey.name.trim()} onClick={revoke}>
          Revoke key
        </Button>
        <Button data-back onClick={close}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
