import { type KeyView, revokeKey } from '../../../shared/messages/dashboard/keys.ts';
import { call } from '../../app/browser-session.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { toast } from '../../parts/toasts.ts';
import { refreshKeys } from './keys-query.ts';

/** Nothing brings a revoked key back, so its name is typed. */
export function RevokeKeyDialog({ apiKey: { key_id, name }, close }: { apiKey: KeyView; close: () => void }) {
  const revoke = async () => {
    await call(revokeKey, { params: { id: key_id } });
    toast(`The key ${name} is revoked.`);
    close();
    await refreshKeys();
  };
  return (
    <ConfirmDialog
      title={`Revoke “${name}”?`}
      lead="The next request with this key is refused. Nothing brings the key back."
      deed="Revoke key"
      typed={name}
      act={revoke}
      close={close}
    />
  );
}
