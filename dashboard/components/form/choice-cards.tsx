import styles from './choice-cards.module.css';
import { useField } from './field.tsx';

type Option = { value: string; title: string; about: string; isDisabled?: boolean };

type Props = {
  name: string;
  label: string;
  /** `checkbox`: several may be chosen. */
  type: 'radio' | 'checkbox';
  options: readonly Option[];
  /** Shown if the choice is wrong. */
  wrong?: string;
};

/** A choice field of the surrounding form whose options need a sentence each. */
export function ChoiceCards({ name, label, type, options, wrong }: Props) {
  const { control, error } = useField(name);
  return (
    <fieldset className={styles.choices} data-label={label}>
      <legend>{label}</legend>
      {options.map(({ value, title, about, isDisabled = false }) => (
        <label key={value} className={styles.choice}>
          <input type={type} value={value} disabled={isDisabled} {...control} />
          <span>
            <strong>{title}</strong>
            <span>{about}</span>
          </span>
        </label>
      ))}
      {error && (
        <p className={styles.error} role="alert">
          {wrong ?? error}
        </p>
      )}
    </fieldset>
  );
}
