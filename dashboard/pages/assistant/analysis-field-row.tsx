import { Trash2 } from 'lucide-react';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { PlainField, PlainSelect } from '../../components/form/field.tsx';
import { type AnalysisField, type FieldType, fieldTypes } from './analysis-fields.ts';
import styles from './assistant.module.css';

const typeNames: Readonly<Record<FieldType, string>> = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  choice: 'One of several',
};

type Props = {
  number: number;
  field: AnalysisField;
  problem: string | undefined;
  /** Whether the last save was refused because of the field's missing choices. */
  isRefused: boolean;
  /** Why the person may not edit it; undefined if they may. */
  reason: string | undefined;
  onFieldChange: (field: AnalysisField) => void;
  onRemove: () => void;
};

export const AnalysisFieldRow = ({ number, field, problem, isRefused, reason, onFieldChange, onRemove }: Props) => (
  <fieldset
    // The form moves the focus to the field of this name.
    {...(isRefused && { name: 'analysis_schema', tabIndex: -1 })}
    className={styles.fieldRow}
    data-label={`Field ${number}`}
    disabled={reason !== undefined}
  >
    <legend>Field {number}</legend>
    <PlainField
      label="Name"
      value={field.name}
      maxLength={100}
      autoComplete="off"
      hint={problem}
      onChange={({ target }) => onFieldChange({ ...field, name: target.value })}
    />
    <PlainSelect
      label="Type"
      value={field.type}
      onChange={({ target }) => onFieldChange({ ...field, type: target.value as FieldType })}
    >
      {fieldTypes.map((type) => (
        <option key={type} value={type}>
          {typeNames[type]}
        </option>
      ))}
    </PlainSelect>
    <PlainField
      label="Meaning"
      value={field.description}
      autoComplete="off"
      onChange={({ target }) => onFieldChange({ ...field, description: target.value })}
    />
    {field.type === 'choice' && (
      <PlainField
        label="Choices, separated by commas"
        value={field.options}
        autoComplete="off"
        error={isRefused ? 'Enter the choices, or choose another type.' : undefined}
        onChange={({ target }) => onFieldChange({ ...field, options: target.value })}
      />
    )}
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={field.isRequired}
        onChange={({ target }) => onFieldChange({ ...field, isRequired: target.checked })}
      />
      Required
    </label>
    <GuardedButton
      disabledReason={reason}
      isIcon
      variant="quiet"
      aria-label={`Remove field ${number}`}
      onClick={onRemove}
    >
      <Trash2 aria-hidden="true" />
    </GuardedButton>
  </fieldset>
);
