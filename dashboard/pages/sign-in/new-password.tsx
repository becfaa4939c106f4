import { Link, useSearch } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { choosePassword, pendingChallenge } from '../../app/session/sign-in.ts';
import { useSession } from '../../app/session/use-session.ts';
import { Redirect } from '../../app/url/redirect.tsx';
import { safeReturnPath } from '../../app/url/return-path.ts';
import { TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { PasswordField } from '../../components/form/password-field.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { passwordHint } from '../../words/people/passwords.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import { SubmitButton } from './submit-button.tsx';

const schema = z.object({ email: z.string(), new_password: z.string().check(z.minLength(1)) });

/** Asks for the person's own password, which replaces the one of the invitation. */
export function NewPassword() {
  const { to } = useSearch({ from: '/sign-in/new-password' });
  const challenge = pendingChallenge();
  const sessionState = useSession();
  const state = useApiForm(schema, { email: challenge?.email ?? '', new_password: '' }, async ({ new_password }) => {
    const current = pendingChallenge();
    if (current) await choosePassword(current, new_password);
  });
  if (sessionState === 'signed_in') return <Redirect path={safeReturnPath(to)} />;
  const back = (
    <Link to="/sign-in" search={to === undefined ? {} : { to }}>
      Back to sign-in
    </Link>
  );
  if (challenge === undefined)
    return (
      <SignInLayout title="Sign in again" below={back}>
        <p>
          To choose a password of your own, sign in with the password of your invitation first. It is valid for seven
          days; an admin of your organization can send it again.
        </p>
      </SignInLayout>
    );
  return (
    <SignInLayout
      title="Choose your password"
      lead="The password of the invitation works once. Choose one that only you know."
      below={back}
    >
      <Form state={state}>
        <TextField name="email" label="E-mail address" type="email" autoComplete="username" readOnly />
        <PasswordField
          name="new_password"
          label="New password"
          autoComplete="new-password"
          hint={passwordHint}
          autoFocus
        />
        <SubmitButton isBusy={state.form.formState.isSubmitting} failure={state.failure}>
          Save and sign in
        </SubmitButton>
      </Form>
    </SignInLayout>
  );
}
