import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { session } from '../../app/session/browser-session.ts';
import { signInSchema, signInWithPassword } from '../../app/session/sign-in.ts';
import { useSession } from '../../app/session/use-session.ts';
import { Redirect } from '../../app/url/redirect.tsx';
import { safeReturnPath } from '../../app/url/return-path.ts';
import { TextField } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { PasswordField } from '../../components/form/password-field.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { Notice } from '../../components/message/notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { isAfterPendingConsent } from './after-consent.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import { SubmitButton } from './submit-button.tsx';

/** Sign-in. A wrong address and a wrong password look the same. */
export function SignIn() {
  const { to } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const state = useApiForm(signInSchema, { email: '', password: '' }, async ({ email, password }) => {
    if ((await signInWithPassword(email, password)) === 'new_password')
      await navigate({ to: '/sign-in/new-password', search: to === undefined ? {} : { to } });
  });
  const { form, failure } = state;
  const sessionState = useSession();

  if (sessionState === 'signed_in') return <Redirect path={safeReturnPath(to)} />;
  if (sessionState === 'starting')
    return (
      <SignInLayout title="Sign in">
        <Skeleton lines={3} />
      </SignInLayout>
    );
  return (
    <SignInLayout
      title="Sign in"
      lead={to === undefined ? 'With the e-mail address of your invitation.' : 'To continue where you were.'}
      below={
        <Link to="/sign-in/reset" search={to === undefined ? {} : { to }}>
          Forgot your password?
        </Link>
      }
    >
      {isAfterPendingConsent(to) && (
        <Notice tone="info" title="The consent was given and awaits confirmation.">
          <p>
            The connection waits until the person who asked for it confirms who consented. If that is another person,
            you are done: you need not sign in.
          </p>
        </Notice>
      )}
      {session.wasRefused() && failure === undefined && (
        <Notice tone="info" title="Your session has ended.">
          <p>If your password is refused now, you may have been removed: ask an admin of your organization.</p>
        </Notice>
      )}
      <Form state={state}>
        <TextField
          name="email"
          label="E-mail address"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          autoFocus
        />
        <PasswordField name="password" label="Password" autoComplete="current-password" />
        <SubmitButton isBusy={form.formState.isSubmitting} failure={failure}>
          Sign in
        </SubmitButton>
      </Form>
    </SignInLayout>
  );
}
