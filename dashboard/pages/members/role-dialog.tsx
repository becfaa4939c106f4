import { useWatch } from 'react-hook-form';
import { hasRightsOf, isRole } from '../../../shared/domain/organizations/members/member.ts';
import { changeRole, type MemberView } from '../../../shared/messages/dashboard/people.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { Form, FormActions } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { Notice } from '../../components/message/notice.tsx';
import { toast } from '../../components/message/toasts.ts';
import { nameIn } from '../../words/newer.ts';
import { roleNames } from '../../words/people/roles.ts';
import { refreshMembers } from './members-query.ts';
import { RoleChoice } from './role-choice.tsx';

export function RoleDialog({ member, onClose }: { member: MemberView; onClose: () => void }) {
  const me = useMe();
  // A role of a newer version cannot be changed, so the dialog does not open for it.
  const former = isRole(member.role) ? member.role : 'viewer';
  const state = useApiForm(changeRole.request, { role: former }, async ({ role }) => {
    await callApi(changeRole, { params: { id: member.user_id }, body: { role } });
    toast(`${member.name} now has the role ${nameIn(roleNames, role)}.`);
    onClose();
    await refreshMembers();
  });
  const chosen = useWatch({ control: state.form.control, name: 'role' });
  const losesOwn = member.user_id === me.user_id && chosen !== undefined && !hasRightsOf(chosen, former);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Role of ${member.name}`}
      lead="The new role applies from the member’s next request on."
    >
      <Form state={state}>
        <RoleChoice />
        {losesOwn && (
          <Notice tone="warn" title="This is your own role.">
            You cannot give yourself the rights back.
          </Notice>
        )}
        <FormActions action="Change role" isDisabled={chosen === former} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
