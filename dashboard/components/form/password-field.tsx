import { Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import styles from './field.module.css';
import { Field, useField } from './field.tsx';

type Props = {
  name: string;
  label: string;
  hint?: ReactNode;
  /** Tells password managers whether to fill or to generate one. */
  autoComplete: 'current-password' | 'new-password';
  autoFocus?: boolean;
};

/** A password field that accepts pasting and password managers, and can be shown. */
export function PasswordField({ name, label, hint, ...rest }: Props) {
  const { control, error } = useField(name);
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(controlProps) => (
        <div className={styles.withButton}>
          <input
            type={isShown ? 'text' : 'password'}
            spellCheck={false}
            autoCapitalize="none"
            {...rest}
            {...control}
            {...controlProps}
            className={styles.input}
          />
          <button
            type="button"
            className={styles.peek}
            aria-label={`Show ${label.toLowerCase()}`}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />}
          </button>
        </div>
      )}
    </Field>
  );
}
