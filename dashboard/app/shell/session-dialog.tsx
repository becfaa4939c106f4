import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Button } from '../../components/button/button.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Actions, Form } from '../../components/form/form.tsx';
import { PasswordField } from '../../components/form/password-field.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { endSession, session } from '../session/browser-session.ts';
import { signInSchema, signInWithPassword } from '../session/sign-in.ts';
import styles from './session-dialog.module.css';

/**
 * Requests the password in a dialog over the page, which keeps its typed texts. Waiting requests continue afterwards.
 * The browser's own modal dialog covers all others and restores the focus when it closes.
 * @param email of the person whose page it is; undefined if it is not known yet
 */
export function SessionDialog({ email }: { email: string | undefined }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The dialog would otherwise focus its first field.
    shown?.querySelector<HTMLElement>('input:not([readonly])')?.focus();
    return () => shown?.close();
  }, []);
  const state = useApiForm(signInSchema, { email: email ?? '', password: '' }, async ({ email, password }) => {
    if ((await signInWithPassword(email, password)) === 'signed_in') return;
    session.end();
    navigate({ to: '/sign-in/new-password' });
  });
  const leave = () => endSession(false).catch(() => session.end());
  return createPortal(
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby="session-title"
      onCancel={(event) => event.preventDefault()}
      // Keeps Escape and other keys within this dialog.
      onKeyDown={(event) => event.nativeEvent.stopPropagation()}
    >
      <div className={styles.content}>
        <div>
          <h2 id="session-title" className={styles.title}>
            Please sign in again
          </h2>
          <p className={styles.lead}>Your session has ended. What you typed is still there.</p>
        </div>
        <Form state={state}>
          <TextField
            name="email"
            label="E-mail address"
            type="email"
            autoComplete="username"
            readOnly={email !== undefined}
          />
          <PasswordField name="password" label="Password" autoComplete="current-password" />
          <Actions>
            <Button variant="primary" type="submit" isBusy={state.form.formState.isSubmitting}>
              Sign in
            </Button>
            <Button onClick={leave}>Sign out instead</Button>
          </Actions>
        </Form>
      </div>
    </dialog>,
    document.body,
  );
}
