import type { ComponentProps, ReactNode } from 'react';
import styles from './field.module.css';
import { Field, useField } from './field.tsx';
import { names } from './names.ts';

type Props = { name: string; label: string; hint?: ReactNode } & Omit<ComponentProps<'textarea'>, 'name'>;

/** Several lines of text of the form around it. It grows with its text where the browser can. */
export function TextArea({ label, hint, name, ...rest }: Props) {
  const { control, error } = useField(name);
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <textarea rows={3} {...rest} {...control} {...wiring} className={names(styles.input, styles.area)} />
      )}
    </Field>
  );
}
