import { TransactionContention } from '../../domain/contention.ts';
import { isKnowledgeId, knowledgePath } from '../../domain/organizations/assistants/knowledge-file.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { KnowledgeStore } from '../../stores/organizations/knowledge.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';

export type RemoveKnowledgeDeps = AuditedChangeDeps & {
  assistants: Pick<AssistantStore, 'get' | 'replacingKnowledge'>;
  knowledge: Pick<KnowledgeStore, 'remove'>;
};

export type RemovingKnowledge = { kind: 'removed' | 'assistant_not_found' | 'entry_not_found' };

const MAX_TRIES = 5;

/**
 * Removes an entry of a knowledge base, then its text: the next dial no longer uses it. A repeat after a failure
 * removes the text that was left.
 * @throws TransactionContention if the knowledge base changes in every try.
 */
export async function removeKnowledge(
  deps: RemoveKnowledgeDeps,
  actor: Actor,
  { org_id, assistant_id, entry_id }: { org_id: string; assistant_id: string; entry_id: string },
): Promise<RemovingKnowledge> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const assistant = await deps.assistants.get(assistant_id);
    if (assistant?.org_id !== org_id) return { kind: 'assistant_not_found' };
    const removed = assistant.knowledge_base.find(({ id }) => id === entry_id);
    if (!removed) {
      if (isKnowledgeId(entry_id)) await deps.knowledge.remove(knowledgePath(assistant, entry_id));
      return { kind: 'entry_not_found' };
    }
    const audit = audited(deps, {
      org_id,
      actor,
      action: 'assistant.knowledge_removed',
      thing: { id: assistant_id, name: assistant.name },
      before: { file: removed.filename },
    });
    const result = await deps.transact({
      assistant: deps.assistants.replacingKnowledge(
        assistant,
        assistant.knowledge_base.filter((one) => one !== removed),
      ),
      audit,
    });
    if (!result.committed) continue;
    await deps.knowledge.remove(removed.path);
    return { kind: 'removed' };
  }
  throw new TransactionContention(`the knowledge base of ${assistant_id} changed in ${MAX_TRIES} tries`);
}
