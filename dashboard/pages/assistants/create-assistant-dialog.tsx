import { useNavigate } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { definitionShape } from '../../../shared/domain/organizations/assistant-definition.ts';
import { createAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { call } from '../../app/browser-session.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField, useField } from '../../parts/field.tsx';
import { Actions, Form } from '../../parts/form.tsx';
import { useApiForm } from '../../parts/form-state.ts';
import { toast } from '../../parts/toasts.ts';
import { examples } from '../../words/assistant-examples.ts';
import styles from './assistants.module.css';
import { refreshAssistants } from './assistants-query.ts';

const schema = z.object({ name: definitionShape.name, example: z.string() });

/** Creates an assistant from an example, or an empty one. @param first the example that is chosen at first */
export function CreateAssistantDialog({ first, close }: { first: string; close: () => void }) {
  const navigate = useNavigate();
  const initial = { example: first, name: examples.find(({ id }) => id === first)?.definition.name ?? '' };
  const state = useApiForm(schema, initial, async ({ name, example }) => {
    const definition = examples.find(({ id }) => id === example)?.definition;
    const made = await call(createAssistant, { body: { ...definition, name } });
    toast(`${made.name} is created.`);
    await refreshAssistants();
    await navigate({ to: '/assistants/$id', params: { id: made.assistant_id } });
  });
  return (
    <Dialog isOpen close={close} title="New assistant" lead="You can change all of it afterwards.">
      <Form state={state}>
        <TextField name="name" label="Name" hint="As it introduces itself." autoComplete="off" />
        <ExampleChoice />
        <Actions>
          <Button look="primary" type="submit" isBusy={state.form.formState.isSubmitting}>
            Create the assistant
          </Button>
          <Button data-back onClick={close}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

const NOTHING = { id: 'nothing', title: 'Begin with nothing', about: 'A polite assistant without a task.' };

function ExampleChoice() {
  const { control } = useField('example');
  return (
    <fieldset className={styles.choices}>
      <legend>Begin with</legend>
      {[...examples, NOTHING].map(({ id, title, about }) => (
        <label key={id} className={styles.choice}>
          <input type="radio" value={id} {...control} />
          <span>
            <strong>{title}</strong>
            <span>{about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
