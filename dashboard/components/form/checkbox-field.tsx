import { type ReactNode, useId } from 'react';
import styles from './checkbox-field.module.css';
import { useField } from './field.tsx';

type Props = { name: string; label: string; hint?: ReactNode; disabled?: boolean | undefined };

/** A checkbox field of the surrounding form. */
export function CheckboxField({ name, label, hint, disabled }: Props) {
  const id = useId();
  const { control } = useField(name);
  return (
    <div className={styles.check} data-label={label}>
      <label>
        <input type="checkbox" {...control} disabled={disabled} aria-describedby={hint ? id : undefined} />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={id} className={styles.hint}>
          {hint}
        </p>
      )}
    </div>
  );
}
