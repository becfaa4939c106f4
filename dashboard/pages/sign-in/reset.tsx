import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import * as z from 'zod/mini';
import { requestPasswordReset, resetPassword } from '../../../shared/messages/dashboard/session.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { signInWithPassword } from '../../app/session/sign-in.ts';
import { useSession } from '../../app/session/use-session.ts';
import { Redirect } from '../../app/url/redirect.tsx';
import { safeReturnPath } from '../../app/url/return-path.ts';
import { TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { PasswordField } from '../../components/form/password-field.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { passwordHint } from '../../words/people/passwords.ts';
import styles from './sign-in-layout.module.css';
import { SignInLayout } from './sign-in-layout.tsx';
import { SubmitButton } from './submit-button.tsx';

/** Resets a forgotten password: first the address, then the code sent to it. */
export function ResetPassword() {
  const { to } = useSearch({ from: '/sign-in/reset' });
  const [email, setEmail] = useState<string>();
  const sessionState = useSession();
  if (sessionState === 'signed_in') return <Redirect path={safeReturnPath(to)} />;
  return email === undefined ? (
    <RequestCode to={to} onSent={setEmail} />
  ) : (
    <EnterCode email={email} to={to} onRestart={() => setEmail(undefined)} />
  );
}

type ReturnProps = { to: string | undefined };

const BackToSignIn = ({ to }: ReturnProps) => (
  <Link to="/sign-in" search={to === undefined ? {} : { to }}>
    Back to sign-in
  </Link>
);

function RequestCode({ to, onSent }: ReturnProps & { onSent: (email: string) => void }) {
  const state = useApiForm(requestPasswordReset.request, { email: '' }, async ({ email }) => {
    await callApi(requestPasswordReset, { body: { email: email.trim() } });
    onSent(email.trim());
  });
  return (
    <SignInLayout
      title="Forgot your password?"
      lead="We send a code to your e-mail address."
      below={<BackToSignIn to={to} />}
    >
      <Form state={state}>
        <TextField
          name="email"
          label="E-mail address"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
        />
        <SubmitButton isBusy={state.form.formState.isSubmitting} failure={state.failure}>
          Send the code
        </SubmitButton>
      </Form>
    </SignInLayout>
  );
}

const schema = z.object({ ...resetPassword.request.shape });

function EnterCode({ email, to, onRestart }: ReturnProps & { email: string; onRestart: () => void }) {
  const navigate = useNavigate();
  const state = useApiForm(schema, { email, code: '', new_password: '' }, async ({ code, new_password }) => {
    await callApi(resetPassword, { body: { email, code: code.trim(), new_password } });
    // The password is changed: from here on, a failure only requires another sign-in.
    const next = await signInWithPassword(email, new_password).catch(() => 'failed');
    if (next === 'failed') await navigate({ to: '/sign-in', search: to === undefined ? {} : { to } });
  });
  return (
    <SignInLayout
      title="Enter the code"
      lead={`If ${email} belongs to a member, an e-mail with a code is on its way.`}
      below={
        <>
          <button type="button" className={styles.link} onClick={onRestart}>
            Send another code
          </button>
          <BackToSignIn to={to} />
        </>
      }
    >
      <Form state={state}>
        <TextField name="email" label="E-mail address" type="email" autoComplete="username" readOnly />
        <TextField name="code" label="Code" inputMode="numeric" autoComplete="one-time-code" autoFocus />
        <PasswordField name="new_password" label="New password" autoComplete="new-password" hint={passwordHint} />
        <SubmitButton isBusy={state.form.formState.isSubmitting} failure={state.failure}>
          Change the password
        </SubmitButton>
      </Form>
    </SignInLayout>
  );
}
