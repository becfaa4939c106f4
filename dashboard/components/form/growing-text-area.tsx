import type { ComponentProps, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import styles from './field.module.css';
import { Field, useField } from './field.tsx';

type Props = { name: string; label: string; hint?: ReactNode } & Omit<ComponentProps<'textarea'>, 'name'>;

/** A multi-line text field of the surrounding form. It grows with its text if the browser supports it. */
export function GrowingTextArea({ label, hint, name, ...rest }: Props) {
  const { control, error } = useField(name);
  return (
    <Field label={label} hint={hint} error={error}>
      {(controlProps) => (
        <textarea rows={3} {...rest} {...control} {...controlProps} className={classNames(styles.input, styles.area)} />
      )}
    </Field>
  );
}
