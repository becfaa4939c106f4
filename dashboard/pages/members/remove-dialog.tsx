import { type MemberView, removeMember } from '../../../shared/messages/dashboard/people.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { ConfirmDialog } from '../../components/dialog/confirm-dialog.tsx';
import { focusHeading } from '../../components/layout/page.tsx';
import { toast } from '../../components/message/toasts.ts';
import { refreshMembers } from './members-query.ts';

export function RemoveDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const me = useMe();
  const isMe = member.user_id === me.user_id;
  const remove = async () => {
    await callApi(removeMember, { params: { id: member.user_id } });
    toast(isMe ? 'You have left the organization.' : `${member.name} is removed.`);
    onClose();
    await refreshMembers();
    // The button that opened this disappeared with its row.
    focusHeading();
  };
  return (
    <ConfirmDialog
      title={isMe ? `Leave ${me.org.name}?` : `Remove ${member.name}?`}
      lead={`${isMe ? 'You lose' : `${member.name} loses`} access to ${me.org.name} at once, in every browser.`}
      action={isMe ? 'Leave the organization' : `Remove ${member.name}`}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        What {isMe ? 'you' : 'they'} did stays in the audit log. To come back, {isMe ? 'you need' : 'they need'} a new
        invitation.
      </p>
    </ConfirmDialog>
  );
}
