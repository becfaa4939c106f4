import { useState } from 'react';
import { type MemberView, removeMember } from '../../../shared/messages/dashboard/people.ts';
import { call } from '../../app/browser-session.ts';
import { useMe } from '../../app/me.ts';
import { noticeLostRights } from '../../app/query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Actions } from '../../parts/form.tsx';
import { focusHeading } from '../../parts/page.tsx';
import { toast } from '../../parts/toasts.ts';
import { refreshMembers } from './members-query.ts';

/** Asks once, and names the consequence. */
export function RemoveDialog({ member, close }: { member: MemberView; close: () => void }) {
  const me = useMe();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const isMe = member.user_id === me.user_id;
  const remove = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await call(removeMember, { params: { id: member.user_id } });
      toast(isMe ? 'You have left the organization.' : `${member.name} is removed.`);
      close();
      await refreshMembers();
      // The row with the button that opened this is gone.
      focusHeading();
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
      title={isMe ? `Leave ${me.org.name}?` : `Remove ${member.name}?`}
      lead={`${isMe ? 'You lose' : `${member.name} loses`} access to ${me.org.name} at once, in every browser.`}
    >
      {failure !== undefined && <Failure error={failure} />}
      <p>
        What {isMe ? 'you' : 'they'} did stays in the audit log. To come back, {isMe ? 'you need' : 'they need'} a new
        invitation.
      </p>
      <Actions>
        <Button look="danger" isBusy={isBusy} onClick={remove}>
          {isMe ? 'Leave the organization' : `Remove ${member.name}`}
        </Button>
        <Button data-back onClick={close}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
