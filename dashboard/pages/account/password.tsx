import * as z from 'zod/mini';
import { changePassword } from '../../../shared/messages/dashboard/session.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { signInWithPassword } from '../../app/session/sign-in.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { Actions, Form } from '../../components/form/form.tsx';
import { PasswordField } from '../../components/form/password-field.tsx';
import { type ApiForm, useApiForm } from '../../components/form/use-api-form.ts';
import { toast } from '../../components/message/toasts.ts';
import { passwordHint } from '../../words/people/passwords.ts';

const schema = z.object({ ...changePassword.request.shape });

export function Password() {
  const me = useMe();
  const state: ApiForm<z.infer<typeof schema>> = useApiForm(
    schema,
    { password: '', new_password: '' },
    async (body): Promise<void> => {
      await callApi(changePassword, { body });
      state.form.reset();
      // The change has ended this session, too. If the sign-in fails, the page requests the password in some minutes.
      await signInWithPassword(me.email, body.new_password).catch(() => undefined);
      toast('Your password is changed. All other browsers are signed out within 10 minutes.');
    },
  );
  return (
    <Form state={state}>
      {/* For password managers, which save the address with the password. */}
      <input type="email" name="email" autoComplete="username" value={me.email} readOnly hidden />
      <PasswordField name="password" label="Current password" autoComplete="current-password" />
      <PasswordField name="new_password" label="New password" autoComplete="new-password" hint={passwordHint} />
      <Actions>
        <Button variant="primary" type="submit" isBusy={state.form.formState.isSubmitting}>
          Change password
        </Button>
      </Actions>
    </Form>
  );
}
