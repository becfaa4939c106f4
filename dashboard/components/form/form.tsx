import { type ReactNode, useEffect, useRef } from 'react';
import { type FieldValues, FormProvider, useFormState } from 'react-hook-form';
import { Button, type ButtonVariant } from '../button/button.tsx';
import { ErrorNotice } from '../message/error-notice.tsx';
import styles from './field.module.css';
import type { ApiForm } from './use-api-form.ts';

type Props<Values extends FieldValues> = {
  state: ApiForm<Values>;
  /** Shows the part of the page that contains the field, which the form focuses next. */
  onBeforeFocus?: (field: string) => void;
  children: ReactNode;
};

/** A form with its errors on top. Focuses the failure, the list of errors, or the field with the only error. */
export function Form<Values extends FieldValues>({ state, onBeforeFocus, children }: Props<Values>) {
  const { form, failure, onSubmit } = state;
  const summary = useRef<HTMLDivElement>(null);
  const failed = useRef<HTMLDivElement>(null);
  const errors = Object.entries(form.formState.errors);
  const { submitCount } = form.formState;
  const focusOn = (name: string) => {
    onBeforeFocus?.(name);
    // A hidden field cannot take the focus; React shows it with the next render.
    setTimeout(() => {
      form.setFocus(name as never);
      // A fieldset of several inputs, which the form library cannot focus.
      document.querySelector<HTMLElement>(`fieldset[name="${CSS.escape(name)}"]`)?.focus();
    });
  };
  const count = errors.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves once per submission.
  useEffect(() => {
    const only = errors[0]?.[0];
    if (count > 1) summary.current?.focus();
    else if (only !== undefined) focusOn(only);
  }, [submitCount]);
  // The submit button of a long form is far below the failure.
  useEffect(() => {
    if (failure !== undefined) failed.current?.focus();
  }, [failure]);
  return (
    <FormProvider {...form}>
      <form className={styles.form} onSubmit={onSubmit} noValidate>
        {failure !== undefined && (
          <div ref={failed} tabIndex={-1}>
            <ErrorNotice error={failure} />
          </div>
        )}
        {count > 1 && (
          <div ref={summary} className={styles.summary} data-summary tabIndex={-1} role="alert">
            <p>{count} fields need your attention.</p>
            <ul>
              {errors.map(([name, error]) => (
                <li key={name}>
                  <a
                    href={`#${name}`}
                    onClick={(event) => {
                      event.preventDefault();
                      focusOn(name);
                    }}
                  >
                    {labelOf(name)}: {String(error?.message ?? '')}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )}
        {children}
      </form>
    </FormProvider>
  );
}

/** The label on the page. */
const labelOf = (name: string): string =>
  document
    .querySelector(`[name="${CSS.escape(name)}"]`)
    ?.closest('[data-label]')
    ?.getAttribute('data-label') ?? name;

/** Fields that everyone sees; people who may not change them cannot type. */
export const FormFieldset = ({ disabled, children }: { disabled: boolean; children: ReactNode }) => (
  <fieldset className={styles.fields} disabled={disabled}>
    {children}
  </fieldset>
);

/** The buttons at the end of a form or dialog. */
export const Actions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>;

type FormActionsProps = {
  /** The button's label: the action of the form. */
  action: string;
  variant?: ButtonVariant;
  /** Whether the values are still the stored ones. */
  isDisabled?: boolean;
  onClose: () => void;
};

/** A dialog's last row: its action, and a cancel button. */
export const DialogActions = ({ onClose, children }: { onClose: () => void; children: ReactNode }) => (
  <Actions>
    {children}
    <Button data-back onClick={onClose}>
      Cancel
    </Button>
  </Actions>
);

/** The last row of a form in a dialog. */
export function FormActions({ action, variant = 'primary', isDisabled = false, onClose }: FormActionsProps) {
  const { isSubmitting } = useFormState();
  return (
    <DialogActions onClose={onClose}>
      <Button variant={variant} type="submit" isBusy={isSubmitting} aria-disabled={isDisabled}>
        {action}
      </Button>
    </DialogActions>
  );
}
