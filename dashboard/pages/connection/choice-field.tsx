import { type ReactNode, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import type { Choices } from '../../../shared/messages/dashboard/connections.ts';
import { Button } from '../../components/button/button.tsx';
import { TextField } from '../../components/form/field.tsx';
import { SelectField } from '../../components/form/select-field.tsx';
import styles from './settings.module.css';

/** The entries that the remote system lists. */
export type RemoteChoices = Omit<Choices, 'assistants' | 'departments' | 'agents'> & {
  [List in 'departments' | 'agents']: Choices[List] | undefined;
};

type Choice = { id: string; name: string };

type Props = {
  name: string;
  label: string;
  hint: ReactNode;
  /** null: the remote system listed none; undefined: the request is pending. */
  choices: readonly Choice[] | null | undefined;
  /** The first entry, which means no value. */
  none: string;
  /** The label of the field for an id; absent if the list is complete. */
  idLabel?: string;
};

/** A value chosen from a remote system's list, or entered as an id if the system does not answer. */
export function ChoiceField({ name, label, hint, choices, none, idLabel }: Props) {
  const { watch } = useFormContext();
  const [isById, setById] = useState(false);
  const value: string = watch(name);
  if (idLabel !== undefined && (!choices || isById))
    return (
      <div className={styles.choice}>
        <TextField
          name={name}
          label={idLabel}
          hint={choices === undefined ? 'Loading the list …' : hint}
          autoComplete="off"
        />
        {choices && (
          <Button variant="quiet" onClick={() => setById(false)}>
            Choose from the list
          </Button>
        )}
      </div>
    );
  const list = choices ?? [];
  return (
    <div className={styles.choice}>
      <SelectField name={name} label={label} hint={hint}>
        <option value="">{none}</option>
        {value !== '' && !list.some(({ id }) => id === value) && <option value={value}>{value}</option>}
        {list.map((one) => (
          <option key={one.id} value={one.id}>
            {idLabel === undefined || one.name === one.id ? one.name : `${one.name} (${one.id})`}
          </option>
        ))}
      </SelectField>
      {idLabel !== undefined && (
        <Button variant="quiet" onClick={() => setById(true)}>
          Enter the id instead
        </Button>
      )}
    </div>
  );
}
