import { type ReactNode, useState } from 'react';
import { useFormContext } from 'react-hook-form';
import type { Choices } from '../../../shared/messages/dashboard/connections.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { SelectField } from '../../parts/select-field.tsx';
import styles from './settings.module.css';

/** What the remote system lists. */
export type RemoteChoices = Omit<Choices, 'assistants'>;

type Choice = { id: string; name: string };

type Props = {
  name: string;
  label: string;
  hint: ReactNode;
  /** null: the remote system named none; undefined: it is being asked. */
  choices: readonly Choice[] | null | undefined;
  /** The first entry, which stands for no value. */
  none: string;
  /** The label of the field in which its id is entered; absent: the list is complete. */
  idLabel?: string;
};

/** A value that is chosen from what a remote system lists, or entered by its id where it does not answer. */
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
          hint={choices === undefined ? 'The list is being read …' : hint}
          autoComplete="off"
        />
        {choices && (
          <Button look="quiet" onClick={() => setById(false)}>
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
        <Button look="quiet" onClick={() => setById(true)}>
          Enter the id instead
        </Button>
      )}
    </div>
  );
}
