import { useState } from 'react';
import { updateConnection } from '../../../shared/messages/dashboard/connections.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { useMe } from '../../app/me.ts';
import { queryClient } from '../../app/query.ts';
import { refusal } from '../../app/rights.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { toast } from '../../parts/toasts.ts';
import { type OwnerToUse, ownerInWords } from '../../words/lead-owner.ts';
import { crmNames } from '../../words/leads.ts';
import { connectionQuery, refreshConnections } from '../connections/connections-query.ts';
import { refreshLeads } from './leads-query.ts';

/** Has the connection call the leads of this owner, where another owner was the only obstacle. */
export function UseOwner({ owner }: { owner: OwnerToUse }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GuardedButton reason={refusal(useMe(), updateConnection)} onClick={() => setOpen(true)}>
        Use this owner
      </GuardedButton>
      {isOpen && <UseOwnerDialog owner={owner} close={() => setOpen(false)} />}
    </>
  );
}

function UseOwnerDialog({
  owner: { connection_id: id, crm, lead, wanted },
  close,
}: {
  owner: OwnerToUse;
  close: () => void;
}) {
  const use = async () => {
    const { connection } = await queryClient.fetchQuery({ ...connectionQuery(id), staleTime: 0 });
    // The person saw another owner in the answer.
    if (connection.trigger_owner_user_id !== wanted) throw new ApiError({ status: 409, code: 'changed_meanwhile' });
    const body = { revision: connection.revision, trigger_owner_user_id: lead };
    const { note } = await call(updateConnection, { params: { id }, body });
    toast(note ?? `Saved. The next lead of ${ownerInWords(lead)} is called.`);
    close();
    await Promise.all([refreshConnections(), refreshLeads()]);
  };
  return (
    <ConfirmDialog
      title={`Call the leads of ${ownerInWords(lead)}?`}
      lead={`${crmNames[crm]} then calls the leads of this owner${wanted === null ? '' : `, and no more those of ${ownerInWords(wanted)}`}. Leads that came in before are not called by this: edit one in the CRM to have it called.`}
      deed="Use this owner"
      look="primary"
      act={use}
      close={close}
    />
  );
}
