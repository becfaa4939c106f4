import { CircleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { useFormContext } from 'react-hook-form';
import styles from './field.module.css';

type FieldProps = { label: string; hint?: ReactNode; error?: string | undefined };
type ControlProps = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

/** A label tied to its control, hint and error. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldProps & { children: (controlProps: ControlProps) => ReactNode }) {
  const id = useId();
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const describedBy = [error && errorId, hint && hintId].filter(Boolean).join(' ');
  return (
    <div className={styles.field} data-label={label}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': error ? true : undefined })}
      {error && (
        <p id={errorId} className={styles.error}>
          <CircleAlert aria-hidden="true" />
          {error}
        </p>
      )}
      {hint && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function useField(name: string) {
  const { register, formState } = useFormContext();
  const message = formState.errors[name]?.message;
  return { control: register(name), error: typeof message === 'string' ? message : undefined };
}

type InputProps = Omit<FieldProps, 'error'> & { name: string } & Omit<ComponentProps<'input'>, 'name'>;

/** A text field of the surrounding form. */
export function TextField({ label, hint, name, ...rest }: InputProps) {
  const { control, error } = useField(name);
  return (
    <Field label={label} hint={hint} error={error}>
      {(controlProps) => <input type="text" {...rest} {...control} {...controlProps} className={styles.input} />}
    </Field>
  );
}

type AreaProps = Omit<FieldProps, 'error'> & { name: string } & Omit<ComponentProps<'textarea'>, 'name'>;

/** A multi-line text field of the surrounding form. */
export function TextArea({ label, hint, name, ...rest }: AreaProps) {
  const { control, error } = useField(name);
  return (
    <Field label={label} hint={hint} error={error}>
      {(controlProps) => <textarea {...rest} {...control} {...controlProps} className={styles.input} />}
    </Field>
  );
}

type PlainProps = FieldProps & ComponentProps<'input'>;

/** A text field outside a form, such as a filter. */
export const PlainField = ({ label, hint, error, ...rest }: PlainProps) => (
  <Field label={label} hint={hint} error={error}>
    {(controlProps) => <input type="text" {...rest} {...controlProps} className={styles.input} />}
  </Field>
);

type SelectProps = Omit<FieldProps, 'error'> & ComponentProps<'select'>;

/** A choice of few options. The browser's own list works by keyboard, on phones and at any zoom. */
export const PlainSelect = ({ label, hint, children, ...rest }: SelectProps) => (
  <Field label={label} hint={hint}>
    {(controlProps) => (
      <select {...rest} {...controlProps} className={styles.input}>
        {children}
      </select>
    )}
  </Field>
);
