import type { ComponentProps, ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import styles from './field.module.css';
import { Field, useField } from './field.tsx';

type Props = { name: string; label: string; hint?: ReactNode } & Omit<ComponentProps<'select'>, 'name'>;

/** A choice field of the surrounding form. Its value is set again if its options load later. */
export function SelectField({ label, hint, name, children, ...rest }: Props) {
  const { control, error } = useField(name);
  const value: unknown = useFormContext().watch(name);
  return (
    <Field label={label} hint={hint} error={error}>
      {(controlProps) => (
        <select {...rest} {...control} {...controlProps} value={String(value ?? '')} className={styles.input}>
          {children}
        </select>
      )}
    </Field>
  );
}
