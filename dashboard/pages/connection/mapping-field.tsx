import { useFormContext } from 'react-hook-form';
import { Button } from '../../components/button/button.tsx';
import fieldStyles from '../../components/form/field.module.css';
import type { MappingValues } from './mapping.ts';
import { MappingRows, type MappingTarget } from './mapping-rows.tsx';
import styles from './settings.module.css';

type Props = {
  name: string;
  label: string;
  hint: string;
  /** The default mapping. */
  standard: string;
  /** The initial rows. */
  start: MappingValues;
  /** The help desk's values to choose from; without them, values are typed. */
  targets?: readonly MappingTarget[] | null | undefined;
};

/** A table that maps values of the analysis to values of the help desk. */
export function MappingField({ name, label, hint, standard, start, targets }: Props) {
  const { watch, setValue, formState } = useFormContext();
  const value: MappingValues | undefined = watch(name);
  const change = (next: MappingValues | undefined) => setValue(name, next, { shouldDirty: true, shouldValidate: true });
  const message = formState.errors[name]?.message;
  return (
    <fieldset name={name} tabIndex={-1} className={styles.mapping} data-label={label}>
      <legend>{label}</legend>
      <p className={styles.hint}>{hint}</p>
      {value === undefined ? (
        <>
          <p>{standard}</p>
          <div>
            <Button onClick={() => change(start)}>Set {label.toLowerCase()}</Button>
          </div>
        </>
      ) : (
        <MappingRows label={label} value={value} onValueChange={change} targets={targets} />
      )}
      {typeof message === 'string' && (
        <p className={fieldStyles.error} role="alert">
          {message}
        </p>
      )}
    </fieldset>
  );
}
