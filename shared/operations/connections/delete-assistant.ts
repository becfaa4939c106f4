import { connectionTypes } from '../../domain/connections/connection-type.ts';
import { TransactionContention } from '../../domain/contention.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import type { Assistant } from '../../domain/organizations/assistants/assistant.ts';
import type { Actor } from '../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { Write } from '../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { KnowledgeStore } from '../../stores/organizations/knowledge.ts';
import { type AuditedChangeDeps, audited } from '../organizations/steps/audited-change.ts';

export type DeleteAssistantDeps = AuditedChangeDeps & {
  assistants: Pick<AssistantStore, 'get' | 'removing' | 'remains' | 'removingRemains'>;
  connections: Pick<ConnectionStore, 'requiringUnused'>;
  knowledge: Pick<KnowledgeStore, 'remove'>;
};

export type DeletingAssistant =
  | { kind: 'deleted' | 'assistant_not_found' }
  | { kind: 'assistant_in_use'; by: string[] };

const MAX_TRIES = 5;

/**
 * Deletes an assistant that no connection names, then the texts of its knowledge base. The transaction checks every
 * connection that the organization can have. An operation that gives a connection an assistant checks in its
 * transaction that the assistant exists (`assistants.existing`), so that one of two concurrent operations is refused.
 * Until the texts are removed, an item with their entries replaces the assistant, so that a repeat after a failure
 * removes the rest.
 * @throws TransactionContention if the knowledge base changes in every try
 */
export async function deleteAssistant(
  deps: DeleteAssistantDeps,
  actor: Actor,
  { org_id, assistant_id }: { org_id: string; assistant_id: string },
): Promise<DeletingAssistant> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const assistant = await deps.assistants.get(assistant_id);
    if (assistant?.org_id !== org_id) {
      const hadTexts = await removeTexts(deps, { org_id, assistant_id });
      return { kind: hadTexts ? 'deleted' : 'assistant_not_found' };
    }
    const result = await deps.transact<string>({
      assistant: deps.assistants.removing(assistant),
      audit: auditOf(deps, actor, assistant),
      ...unusedBy(deps, assistant),
    });
    if (result.committed) {
      await removeTexts(deps, assistant);
      return { kind: 'deleted' };
    }
    const by = connectionTypes.filter((type) => type in result.refused);
    if (by.length > 0) return { kind: 'assistant_in_use', by };
  }
  throw new TransactionContention(`${assistant_id} is busy`);
}

/** Returns the checks of a transaction that no connection names the assistant. */
const unusedBy = (
  { connections }: Pick<DeleteAssistantDeps, 'connections'>,
  { org_id, assistant_id }: Assistant,
): Record<string, Write> =>
  Object.fromEntries(
    connectionTypes.map((type) => [type, connections.requiringUnused(connectionIdFor(org_id, type), assistant_id)]),
  );

/** @returns false if no deleted assistant of the organization has left texts */
async function removeTexts(
  { assistants, knowledge, transact }: DeleteAssistantDeps,
  { org_id, assistant_id }: Pick<Assistant, 'org_id' | 'assistant_id'>,
): Promise<boolean> {
  const entries = await assistants.remains(assistant_id, org_id);
  if (!entries) return false;
  await Promise.all(entries.map(({ path }) => knowledge.remove(path)));
  await transact({ remains: assistants.removingRemains(assistant_id) });
  return true;
}

const auditOf = (
  deps: DeleteAssistantDeps,
  actor: Actor,
  { org_id, assistant_id, name, knowledge_base }: Assistant,
): Write =>
  audited(deps, {
    org_id,
    actor,
    action: 'assistant.deleted',
    thing: { id: assistant_id, name },
    before: { name, files: knowledge_base.length },
  });
