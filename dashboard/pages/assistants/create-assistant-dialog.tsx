import { useNavigate } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { definitionShape } from '../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { createAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { useIdempotentAction } from '../../app/query/use-idempotent-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { ChoiceCards } from '../../components/form/choice-cards.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Form, FormActions } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { toast } from '../../components/message/toasts.ts';
import { examples, namedExample } from '../../words/assistants/assistant-examples.ts';
import { refreshAssistants } from './assistants-query.ts';

const schema = z.object({ name: definitionShape.name, example: z.string() });

/** Creates an assistant from an example, or an empty one. @param first the preselected example */
export function CreateAssistantDialog({ first, onClose }: { first: string; onClose: () => void }) {
  const navigate = useNavigate();
  const withIdempotencyKey = useIdempotentAction();
  const initial = { example: first, name: examples.find(({ id }) => id === first)?.definition.name ?? '' };
  const state = useApiForm(schema, initial, async ({ name, example }) => {
    const chosen = examples.find(({ id }) => id === example);
    const body = chosen ? namedExample(chosen, name) : { name };
    const made = await withIdempotencyKey((idempotencyKey) => callApi(createAssistant, { body, idempotencyKey }));
    toast(`${made.name} is created.`);
    await refreshAssistants();
    await navigate({ to: '/assistants/$id', params: { id: made.assistant_id } });
  });
  return (
    <Dialog isOpen onClose={onClose} title="New assistant" lead="You can change everything later.">
      <Form state={state}>
        <TextField name="name" label="Name" hint="The name that the assistant uses for itself." autoComplete="off" />
        <ExampleChoice />
        <FormActions action="Create the assistant" onClose={onClose} />
      </Form>
    </Dialog>
  );
}

const NOTHING = { id: 'nothing', title: 'Start from scratch', about: 'A polite assistant without a task.' };

const ExampleChoice = () => (
  <ChoiceCards
    name="example"
    label="Start with"
    type="radio"
    options={[...examples, NOTHING].map(({ id, title, about }) => ({ value: id, title, about }))}
  />
);
