import { Braces } from 'lucide-react';
import { useState } from 'react';
import { useFormContext, useWatch } from 'react-hook-form';
import { fieldVariables } from '../../../shared/domain/calls/crm-fields.ts';
import { render, variablesIn, variablesOf } from '../../../shared/domain/organizations/assistant-text.ts';
import { Button } from '../../parts/button.tsx';
import { PlainSelect, TextArea, TextField } from '../../parts/field.tsx';
import { Hidden } from '../../parts/hidden.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { type Sample, samples } from '../../words/assistants.ts';
import styles from './assistant.module.css';
import type { DefinitionValues } from './definition-form.ts';

const first = samples[0] as Sample;
const variablesFor = ({ kind, values }: Sample) => (kind === 'lead' ? fieldVariables(values) : variablesOf(values));

/** What the assistant says, with a preview by the code that a dial uses. */
export function ScriptTab({ isReader }: { isReader: boolean }) {
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
        hint="The assistant says this first. {{name|there}} inserts the name; without a name, it says “there”."
      />
      {!isReader && <InsertVariable into="first_message" sample={sample} />}
      <TextArea
        name="prompt"
        label="Prompt"
        rows={12}
        readOnly={isReader}
        hint="Who the assistant is, what it finds out and how it behaves. Variables work here, too."
      />
      {!isReader && <InsertVariable into="prompt" sample={sample} />}
      <Preview sample={sample} choose={setSample} />
    </>
  );
}

type Into = 'first_message' | 'prompt';
const labels: Readonly<Record<Into, string>> = { first_message: 'the first message', prompt: 'the prompt' };

/** Puts a variable of the sample where the cursor was. */
function InsertVariable({ into, sample }: { into: Into; sample: Sample }) {
  const { getValues, setValue } = useFormContext<DefinitionValues>();
  const insert = (name: string) => {
    const field = document.querySelector<HTMLTextAreaElement>(`textarea[name="${into}"]`);
    const [start, end] = [field?.selectionStart ?? 0, field?.selectionEnd ?? 0];
    const text = getValues(into);
    setValue(into, `${text.slice(0, start)}{{${name}}}${text.slice(end)}`, { shouldDirty: true });
  };
  const offered = Object.keys(variablesFor(sample.id === 'nothing' ? first : sample)).sort();
  return (
    <div className={styles.insert}>
      <Menu
        trigger={
          <Button>
            <Braces aria-hidden="true" />
            Insert a variable <Hidden>into {labels[into]}</Hidden>
          </Button>
        }
      >
        {offered.map((name) => (
          <MenuItem key={name} icon={Braces} onClick={() => insert(name)}>
            {name}
          </MenuItem>
        ))}
      </Menu>
    </div>
  );
}

function Preview({ sample, choose }: { sample: Sample; choose: (sample: Sample) => void }) {
  const [message = '', prompt = ''] = useWatch<DefinitionValues, ['first_message', 'prompt']>({
    name: ['first_message', 'prompt'],
  });
  const variables = variablesFor(sample);
  const unknown = [...new Set([...variablesIn(message), ...variablesIn(prompt)])].filter(
    (name) => !(name in variables),
  );
  return (
    <section className={styles.preview} aria-label="Preview">
      <PlainSelect
        label="Preview with"
        value={sample.id}
        onChange={({ target }) => choose(samples.find(({ id }) => id === target.value) ?? first)}
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
      {unknown.length > 0 && (
        <p className={styles.muted}>
          Without a value for this caller: {unknown.join(', ')}. What is behind the “|” is said instead, or nothing.
        </p>
      )}
      <details className={styles.details}>
        <summary>The prompt for this caller</summary>
        <p className={styles.text}>{render(prompt, variables)}</p>
        <p className={styles.muted}>
          The lead’s fields and the knowledge are added below it, as data without instructions.
        </p>
      </details>
    </section>
  );
}
