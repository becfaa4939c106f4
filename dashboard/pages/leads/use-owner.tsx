import { useState } from 'react';
import { updateConnection } from '../../../shared/messages/dashboard/connections.ts';
import { ApiError } from '../../app/api/api-error.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { toast } from '../../components/message/toasts.ts';
import { formatOwner, type OwnerToUse } from '../../words/leads/lead-owner.ts';
import { crmNames } from '../../words/leads/leads.ts';
import { connectionQuery, refreshConnections } from '../connections/connections-query.ts';
import { refreshLeads } from './leads-query.ts';

/** Changes the connection's trigger owner to this lead's owner, if only the owner prevented the call. */
export function UseOwner({ owner }: { owner: OwnerToUse }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GuardedButton disabledReason={deniedReason(useMe(), updateConnection)} onClick={() => setOpen(true)}>
        Use this owner
      </GuardedButton>
      {isOpen && <UseOwnerDialog owner={owner} onClose={() => setOpen(false)} />}
    </>
  );
}

function UseOwnerDialog({
  owner: { connection_id: id, crm, lead, wanted },
  onClose,
}: {
  owner: OwnerToUse;
  onClose: () => void;
}) {
  const use = async () => {
    const { connection } = await queryClient.fetchQuery({ ...connectionQuery(id), staleTime: 0 });
    // The explanation on the page names an owner that is no longer the connection's.
    if (connection.trigger_owner_user_id !== wanted) throw new ApiError({ status: 409, code: 'changed_meanwhile' });
    const body = { revision: connection.revision, trigger_owner_user_id: lead };
    const { note } = await callApi(updateConnection, { params: { id }, body });
    toast(note ?? `Saved. The next lead of ${formatOwner(lead)} is called.`);
    onClose();
    await Promise.all([refreshConnections(), refreshLeads()]);
  };
  return (
    <ConfirmDialog
      title={`Call the leads of ${formatOwner(lead)}?`}
      lead={`${crmNames[crm]} then calls the leads of this owner${wanted === null ? '' : `, and no longer those of ${formatOwner(wanted)}`}. This does not call earlier leads: edit a lead in the CRM to have it called.`}
      action="Use this owner"
      variant="primary"
      onConfirm={use}
      onClose={onClose}
    />
  );
}
