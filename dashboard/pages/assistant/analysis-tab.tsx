import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { TextArea, useField } from '../../components/form/field.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { AnalysisFieldRow } from './analysis-field-row.tsx';
import { type AnalysisField, fieldsOf, lacksChoices, newField, problemOf, schemaOf } from './analysis-fields.ts';
import styles from './assistant.module.css';
import type { DefinitionValues } from './definition-form.ts';

/**
 * The success criteria, and the fields to extract from each call.
 * @param reason why the person may not edit them; undefined if they may
 */
export function AnalysisTab({ reason }: { reason: string | undefined }) {
  const isReader = reason !== undefined;
  const text = useWatch<DefinitionValues, 'analysis_schema'>({ name: 'analysis_schema' });
  const [isJson, setJson] = useState(false);
  const isShownByForm = fieldsOf(text) !== undefined;
  const asJson = isJson || !isShownByForm;
  return (
    <>
      <TextArea
        name="success_criteria"
        label="Success criteria"
        rows={3}
        readOnly={isReader}
        hint="When is a call a success? If empty, the model judges by the assistant’s evident purpose."
      />
      <div className={styles.fieldsHead}>
        <h3>What to find out</h3>
        <Button aria-disabled={!isShownByForm} onClick={() => setJson(!asJson)}>
          {asJson ? 'Edit as a form' : 'Edit as JSON'}
        </Button>
      </div>
      {!isShownByForm && <Notice tone="info">The form cannot show all of this schema, so edit it as JSON.</Notice>}
      {asJson ? (
        <TextArea
          name="analysis_schema"
          label="JSON Schema of the fields"
          rows={14}
          readOnly={isReader}
          spellCheck={false}
          hint="A JSON Schema of an object. If empty, the analysis has no fields of its own."
        />
      ) : (
        <FieldsForm text={text} reason={reason} />
      )}
    </>
  );
}

function FieldsForm({ text, reason }: { text: string; reason: string | undefined }) {
  const { setValue } = useFormContext<DefinitionValues>();
  const { error } = useField('analysis_schema');
  const [written, setWritten] = useState(text);
  const [fields, setFields] = useState<readonly AnalysisField[]>(() => fieldsOf(text) ?? []);
  // The text was replaced by a discard or a reload.
  if (text !== written) {
    setWritten(text);
    setFields(fieldsOf(text) ?? []);
  }
  const write = (next: readonly AnalysisField[]) => {
    const schema = schemaOf(next);
    setFields(next);
    setWritten(schema);
    setValue('analysis_schema', schema, { shouldDirty: true, shouldValidate: error !== undefined });
  };
  return (
    <>
      {error && !fields.some(lacksChoices) && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      {fields.length === 0 && (
        <p className={styles.muted}>No fields yet. The summary, sentiment and success are always included.</p>
      )}
      {fields.map((field, index) => (
        <AnalysisFieldRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed.
          key={index}
          number={index + 1}
          field={field}
          problem={problemOf(fields, index)}
          isRefused={error !== undefined && lacksChoices(field)}
          reason={reason}
          onFieldChange={(next) => write(fields.with(index, next))}
          onRemove={() => write(fields.toSpliced(index, 1))}
        />
      ))}
      <div>
        <GuardedButton disabledReason={reason} onClick={() => write([...fields, newField])}>
          Add a field
        </GuardedButton>
      </div>
    </>
  );
}
