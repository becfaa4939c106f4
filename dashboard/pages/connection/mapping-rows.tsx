import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../components/button/button.tsx';
import fieldStyles from '../../components/form/field.module.css';
import { PlainField } from '../../components/form/field.tsx';
import type { MappingValues } from './mapping.ts';
import styles from './settings.module.css';

/** A value of the help desk. */
export type MappingTarget = { id: string; name: string };

type Props = {
  label: string;
  targets: readonly MappingTarget[] | null | undefined;
  value: MappingValues;
  onValueChange: (next: MappingValues | undefined) => void;
};

/** The rows of a mapping: the analysis's value and the ticket's. */
export function MappingRows({ label, value, onValueChange, targets }: Props) {
  const row = (index: number, part: Partial<MappingValues['rows'][number]>) =>
    onValueChange({ ...value, rows: value.rows.map((one, at) => (at === index ? { ...one, ...part } : one)) });
  return (
    <>
      <PlainField
        label="Field of the analysis"
        value={value.field}
        onChange={(event) => onValueChange({ ...value, field: event.target.value })}
      />
      <table className={styles.rows}>
        <thead>
          <tr>
            <th scope="col">If the field is</th>
            <th scope="col">The ticket gets</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {value.rows.map(({ from, to }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their position.
            <tr key={index}>
              <td>
                <input
                  className={fieldStyles.input}
                  aria-label={`${label}, value ${index + 1}`}
                  value={from}
                  onChange={(event) => row(index, { from: event.target.value })}
                />
              </td>
              <td>
                <Target
                  label={`${label}, result ${index + 1}`}
                  value={to}
                  targets={targets}
                  onValueChange={(next) => row(index, { to: next })}
                />
              </td>
              <td>
                <Button
                  variant="quiet"
                  isIcon
                  aria-label={`Remove row ${index + 1} of ${label.toLowerCase()}`}
                  onClick={() => onValueChange({ ...value, rows: value.rows.filter((_, at) => at !== index) })}
                >
                  <Trash2 aria-hidden="true" />
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={styles.actions}>
        <Button onClick={() => onValueChange({ ...value, rows: [...value.rows, { from: '', to: '' }] })}>
          <Plus aria-hidden="true" /> Add a row
        </Button>
        <Button variant="quiet" onClick={() => onValueChange(undefined)}>
          Use the default
        </Button>
      </div>
      <div className={styles.fallback}>
        <p>All other values</p>
        <Target
          label={`${label}, all other values`}
          value={value.fallback}
          targets={targets}
          onValueChange={(fallback) => onValueChange({ ...value, fallback })}
        />
      </div>
    </>
  );
}

type TargetProps = {
  label: string;
  value: string;
  targets: readonly MappingTarget[] | null | undefined;
  onValueChange: (next: string) => void;
};

function Target({ label, value, targets, onValueChange }: TargetProps) {
  if (!targets)
    return (
      <input
        className={fieldStyles.input}
        aria-label={label}
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
      />
    );
  return (
    <select
      className={fieldStyles.input}
      aria-label={label}
      value={value}
      onChange={(event) => onValueChange(event.target.value)}
    >
      <option value="">Not set</option>
      {value !== '' && !targets.some(({ id }) => id === value) && <option value={value}>{value}</option>}
      {targets.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
