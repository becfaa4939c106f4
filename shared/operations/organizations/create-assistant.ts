import { newAssistantId } from '../../domain/ids.ts';
import type { Assistant } from '../../domain/organizations/assistant.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';

export type CreateAssistantDeps = { assistants: Pick<AssistantStore, 'create'>; now: () => Date };

/** Creates an assistant with an empty knowledge base. */
export async function createAssistant(
  deps: CreateAssistantDeps,
  definition: Omit<Assistant, 'assistant_id' | 'created_at' | 'knowledge_base'>,
): Promise<Assistant> {
  const assistant: Assistant = {
    assistant_id: newAssistantId(),
    ...definition,
    knowledge_base: [],
    created_at: deps.now().toISOString(),
  };
  await deps.assistants.create(assistant);
  return assistant;
}
