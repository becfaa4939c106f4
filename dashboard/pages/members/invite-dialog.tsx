import { useState } from 'react';
import { isRole } from '../../../shared/domain/organizations/members/member.ts';
import { inviteMember, type MemberView } from '../../../shared/messages/dashboard/people.ts';
import { ApiError } from '../../app/api/api-error.ts';
import type { Answer } from '../../app/api/send.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { SecretValue } from '../../components/dialog/secret-value.tsx';
import { ShowOnceDialog } from '../../components/dialog/show-once-dialog.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Form, FormActions } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { toast } from '../../components/message/toasts.ts';
import { roleNames } from '../../words/people/roles.ts';
import { refreshMembers } from './members-query.ts';
import { RoleChoice } from './role-choice.tsx';

type Props = {
  onClose: () => void;
  /** The person who was invited before and gets the e-mail again. */
  again?: MemberView;
};

/** Invites a person. If the stage sends no e-mails, shows the first password once. */
export function InviteDialog({ onClose, again }: Props) {
  const sendsNoMail = useMe().stage === 'local';
  const [done, setDone] = useState<Answer<typeof inviteMember>>();
  const values = again ?? { email: '', name: '', role: 'member' as const };
  const state = useApiForm(
    inviteMember.request,
    { email: values.email, name: values.name, role: isRole(values.role) ? values.role : 'member' },
    async ({ email, ...rest }) => {
      const answer = await callApi(inviteMember, { body: { email: email.trim(), ...rest } }).catch((error: unknown) => {
        const hasSignedIn = again !== undefined && error instanceof ApiError && error.code === 'address_in_use';
        throw hasSignedIn ? new ApiError({ status: error.status, code: 'not_invited_again' }) : error;
      });
      await refreshMembers();
      if (answer.first_password !== undefined) return setDone(answer);
      toast(`The invitation is on its way to ${answer.member.email}.`);
      onClose();
    },
  );
  if (done)
    return (
      <ShowOnceDialog
        onClose={onClose}
        title={`${done.member.name} is invited`}
        lead="This stage sends no e-mails. Pass on the first password yourself. It is shown only once."
        stored="I have stored the password"
      >
        <SecretValue value={done.first_password ?? ''} what="first password" />
        <p>
          {done.member.name} signs in with {done.member.email} and this password, then chooses another one. Role:{' '}
          {roleNames[done.member.role]}.
        </p>
      </ShowOnceDialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={again ? `Invite ${again.name} again` : 'Invite a person'}
      lead={
        again
          ? 'If the person has never signed in, a new first password is sent to this address.'
          : sendsNoMail
            ? 'This stage sends no e-mails. You get the first password to pass on.'
            : 'The person gets an e-mail with a first password that is valid for seven days.'
      }
    >
      <Form state={state}>
        <TextField name="email" label="E-mail address" type="email" autoComplete="off" readOnly={again !== undefined} />
        <TextField name="name" label="Name" autoComplete="off" readOnly={again !== undefined} />
        {!again && <RoleChoice />}
        <FormActions action={again ? 'Send again' : 'Invite'} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
