import { type KeyView, revokeKey } from '../../../shared/messages/dashboard/keys.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { focusHeading } from '../../components/layout/page.tsx';
import { toast } from '../../components/message/toasts.ts';
import { refreshKeys } from './keys-query.ts';

/** Requires typing the name, because a revocation cannot be undone. */
export function RevokeKeyDialog({ apiKey: { key_id, name }, onClose }: { apiKey: KeyView; onClose: () => void }) {
  const revoke = async () => {
    await callApi(revokeKey, { params: { id: key_id } });
    toast(`The key ${name} is revoked.`);
    onClose();
    await refreshKeys();
    // The button that opened this disappeared.
    focusHeading();
  };
  return (
    <ConfirmDialog
      title={`Revoke “${name}”?`}
      lead="The next request with this key is refused. This cannot be undone."
      action="Revoke key"
      confirmationText={name}
      onConfirm={revoke}
      onClose={onClose}
    />
  );
}
