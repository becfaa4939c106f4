import { useNavigate } from '@tanstack/react-router';
import { mostCharacters } from '../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { createAssistant, type ShownAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { useAction } from '../../app/query/use-action.ts';
import { useIdempotentAction } from '../../app/query/use-idempotent-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { toast } from '../../components/message/toasts.ts';
import { refreshAssistants } from '../assistants/assistants-query.ts';

/** Creates an assistant with another one's saved definition, and opens it. Knowledge is not copied. */
export function useDuplicate(assistant: ShownAssistant) {
  const navigate = useNavigate();
  const { run, isBusy, failure } = useAction();
  const withIdempotencyKey = useIdempotentAction();
  const duplicate = () =>
    run(async () => {
      const { prompt, first_message, max_duration_seconds } = assistant;
      const { voice, language, transfer_number, success_criteria, analysis_schema } = assistant;
      const body = {
        name: `Copy of ${assistant.name}`.slice(0, mostCharacters.name),
        prompt,
        first_message,
        max_duration_seconds,
        ...(voice && { voice }),
        ...(language && { language }),
        ...(transfer_number && { transfer_number }),
        ...(success_criteria && { success_criteria }),
        ...(analysis_schema && { analysis_schema: analysis_schema as never }),
      };
      const made = await withIdempotencyKey((idempotencyKey) => callApi(createAssistant, { body, idempotencyKey }));
      toast(`${made.name} is created${assistant.knowledge > 0 ? ', without the knowledge files' : ''}.`);
      await refreshAssistants();
      await navigate({ to: '/assistants/$id', params: { id: made.assistant_id } });
    });
  return { duplicate, isBusy, failure };
}
