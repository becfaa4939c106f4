import { Braces } from 'lucide-react';
import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { spokenVariables } from '../../../shared/domain/calls/conversation/crm-fields.ts';
import {
  hasBrokenMarks,
  render,
  variablesIn,
  variablesOf,
  withoutDefault,
} from '../../../shared/domain/organizations/assistants/assistant-template.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Menu, MenuItem } from '../../components/button/menu.tsx';
import { PlainSelect, TextArea, TextField } from '../../components/form/field.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { placeholderFor, type Sample, samples } from '../../words/assistants/assistants.ts';
import styles from './assistant.module.css';
import type { DefinitionValues } from './definition-form.ts';

const first = samples[0] as Sample;
const variablesFor = ({ kind, values }: Sample) => (kind === 'lead' ? spokenVariables(values) : variablesOf(values));

/**
 * The assistant's script, with a preview rendered by the dial's own code.
 * @param reason why the person may not edit it; undefined if they may
 */
export function ScriptTab({ reason }: { reason: string | undefined }) {
  const isReader = reason !== undefined;
  const [sample, setSample] = useState(first);
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="The name that the assistant uses for itself."
        autoComplete="off"
        readOnly={isReader}
      />
      <TextArea
        name="first_message"
        label="First message"
        rows={3}
        readOnly={isReader}
        hint="The assistant says this first. {{name|there}} inserts the name; without one, it says “there”. For leads, it says only values that look like a name."
      />
      <InsertVariable into="first_message" sample={sample} reason={reason} />
      <TextArea
        name="prompt"
        label="Prompt"
        rows={12}
        readOnly={isReader}
        hint="Who the assistant is, what it finds out and how it behaves. Variables work here, too."
      />
      <InsertVariable into="prompt" sample={sample} reason={reason} />
      <Preview sample={sample} onChoose={setSample} />
    </>
  );
}

type Into = 'first_message' | 'prompt';
const labels: Readonly<Record<Into, string>> = { first_message: 'the first message', prompt: 'the prompt' };

/** Inserts a sample variable at the cursor. */
function InsertVariable({ into, sample, reason }: { into: Into; sample: Sample; reason: string | undefined }) {
  const { getValues, setValue } = useFormContext<DefinitionValues>();
  const insert = (name: string) => {
    const field = document.querySelector<HTMLTextAreaElement>(`textarea[name="${into}"]`);
    const [start, end] = [field?.selectionStart ?? 0, field?.selectionEnd ?? 0];
    const text = getValues(into);
    setValue(into, `${text.slice(0, start)}${placeholderFor(name)}${text.slice(end)}`, { shouldDirty: true });
  };
  const offered = Object.entries(variablesFor(sample.id === 'nothing' ? first : sample))
    .flatMap(([name, value]) => (value === '' ? [] : [name]))
    .sort();
  const label = (
    <>
      <Braces aria-hidden="true" />
      Insert a variable <VisuallyHidden>into {labels[into]}</VisuallyHidden>
    </>
  );
  return (
    <div className={styles.insert}>
      {reason === undefined ? (
        <Menu trigger={<Button>{label}</Button>}>
          {offered.map((name) => (
            <MenuItem key={name} icon={Braces} onClick={() => insert(name)}>
              {name}
            </MenuItem>
          ))}
        </Menu>
      ) : (
        <GuardedButton disabledReason={reason}>{label}</GuardedButton>
      )}
    </div>
  );
}

function Preview({ sample, onChoose }: { sample: Sample; onChoose: (sample: Sample) => void }) {
  const [message = '', prompt = ''] = useWatch<DefinitionValues, ['first_message', 'prompt']>({
    name: ['first_message', 'prompt'],
  });
  const variables = variablesFor(sample);
  return (
    <section className={styles.preview} aria-label="Preview">
      <PlainSelect
        label="Preview with"
        value={sample.id}
        onChange={({ target }) => onChoose(samples.find(({ id }) => id === target.value) ?? first)}
      >
        {samples.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </PlainSelect>
      <p className={styles.spoken} data-preview="first_message">
        “{render(message, variables)}”
      </p>
      {notesOn(message, prompt, variables).map((note) => (
        <p key={note} className={styles.muted}>
          {note}
        </p>
      ))}
      <details className={styles.details}>
        <summary>The prompt for this person</summary>
        <p className={styles.text}>{render(prompt, variables)}</p>
        <p className={styles.muted}>
          The lead’s fields and the knowledge are added below it as data, not as instructions.
        </p>
      </details>
    </section>
  );
}

/** Explains the templates to their writer. */
function notesOn(message: string, prompt: string, variables: Readonly<Record<string, string>>): string[] {
  const both = [message, prompt];
  const missing = [...new Set(both.flatMap(variablesIn))].filter((name) => !variables[name]);
  const bare = withoutDefault(message);
  return [
    ...(both.some(hasBrokenMarks) ? ['Some braces do not form a variable. Write it like {{name|there}}.'] : []),
    ...(missing.length > 0
      ? [`Not known for this person: ${missing.join(', ')}. The assistant says the text after “|” instead.`]
      : []),
    ...(bare.length > 0
      ? [`No fallback text for: ${bare.join(', ')}. If the value is missing, the assistant leaves it out.`]
      : []),
  ];
}
