import { type ReactNode, useId } from 'react';
import { VisuallyHidden } from '../visually-hidden.tsx';
import styles from './segmented-control.module.css';

type Props<Value extends string> = {
  /** The label for screen readers. */
  label: string;
  options: readonly (readonly [value: Value, name: ReactNode])[];
  value: Value;
  onChoose: (value: Value) => void;
};

/** A choice of a few visible options; arrow keys move it. */
export function SegmentedControl<Value extends string>({ label, options, value, onChoose }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className={styles.segments}>
      <legend>
        <VisuallyHidden>{label}</VisuallyHidden>
      </legend>
      {options.map(([option, shown]) => (
        <label key={option} className={styles.segment}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChoose(option)} />
          {shown}
        </label>
      ))}
    </fieldset>
  );
}
