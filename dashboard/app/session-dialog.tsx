import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { begin, passwordForm } from '../pages/sign-in/begin.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { Actions, Form } from '../parts/form.tsx';
import { useApiForm } from '../parts/form-state.ts';
import { PasswordField } from '../parts/password-field.tsx';
import { endSession, session } from './browser-session.ts';
import styles from './session-dialog.module.css';

/**
 * Asks for the password over the page, whose texts stay. Requests that wait go on after it. The browser's own modal
 * dialog lies above every other one, and gives the focus back when it closes.
 * @param email of the person whose page it is; undefined where that is not known yet
 */
export function SessionDialog({ email }: { email: string | undefined }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The dialog itself would choose its first field.
    shown?.querySelector<HTMLElement>('input:not([readonly])')?.focus();
    return () => shown?.close();
  }, []);
  const state = useApiForm(passwordForm, { email: email ?? '', password: '' }, async ({ email, password }) => {
    if ((await begin(email, password)) === 'in') return;
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
      // Escape and other keys belong to this dialog alone.
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
            <Button look="primary" type="submit" isBusy={state.form.formState.isSubmitting}>
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
