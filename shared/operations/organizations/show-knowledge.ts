import type { KnowledgeEntry } from '../../domain/organizations/assistants/assistant.ts';
import { KNOWLEDGE_CHARACTERS } from '../../domain/organizations/assistants/assistant-text.ts';
import { cutText } from '../../domain/text/cut-text.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { KnowledgeStore } from '../../stores/organizations/knowledge.ts';

export type ShowKnowledgeDeps = {
  assistants: Pick<AssistantStore, 'get'>;
  knowledge: Pick<KnowledgeStore, 'read'>;
};

export type ShownKnowledge =
  | { kind: 'shown'; entry: KnowledgeEntry; text: string; isCut: boolean }
  | { kind: 'assistant_not_found' | 'entry_not_found' };

/** Reads the part of a document that a call can use at most: its first 24,000 characters. */
export async function showKnowledge(
  deps: ShowKnowledgeDeps,
  { org_id, assistant_id, entry_id }: { org_id: string; assistant_id: string; entry_id: string },
): Promise<ShownKnowledge> {
  const assistant = await deps.assistants.get(assistant_id);
  if (assistant?.org_id !== org_id) return { kind: 'assistant_not_found' };
  const entry = assistant.knowledge_base.find(({ id }) => id === entry_id);
  const [found] = entry ? await deps.knowledge.read([entry]) : [];
  if (!entry || !found) return { kind: 'entry_not_found' };
  const text = cutText(found.text, KNOWLEDGE_CHARACTERS);
  return { kind: 'shown', entry, text, isCut: text.length < found.text.length };
}
