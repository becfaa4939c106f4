import type { ComponentProps, ReactNode } from 'react';
import styles from './field.module.css';
import { Field, useField } from './field.tsx';

type Props = { name: string; label: string; hint?: ReactNode } & Omit<ComponentProps<'select'>, 'name'>;

/** A choice of the form around it. */
export function SelectField({ label, hint, name, children, ...rest }: Props) {
  const { control, error } = useField(name);
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <select {...rest} {...control} {...wiring} className={styles.input}>
          {children}
        </select>
      )}
    </Field>
  );
}
