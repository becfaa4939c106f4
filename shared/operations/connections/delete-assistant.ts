import { connectionTypes } from '../../domain/connections/connection.ts';
import { connectionIdFor } from '../../domain/ids.ts';
import { type Actor, auditEntryOf } from '../../domain/organizations/audit-entry.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { Transact, Write } from '../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { AuditStore } from '../../stores/organizations/audit.ts';
import type { KnowledgeStore } from '../../stores/organizations/knowledge.ts';

export type DeleteAssistantDeps = {
  assistants: Pick<AssistantStore, 'get' | 'removing'>;
  connections: Pick<ConnectionStore, 'notNaming'>;
  knowledge: Pick<KnowledgeStore, 'remove'>;
  audit: Pick<AuditStore, 'adding'>;
  transact: Transact;
  now: () => Date;
  newToken: () => string;
};

export type DeletingAssistant =
  | { kind: 'deleted' | 'assistant_not_found' }
  | { kind: 'assistant_in_use'; by: string[] };

/**
 * Deletes an assistant that no connection names, then the texts of its knowledge base. The transaction checks every
 * connection that the organization can have. An operation that gives a connection an assistant checks in its
 * transaction that the assistant exists (`assistants.existing`), so that one of two at the same moment is refused.
 */
export async function deleteAssistant(
  deps: DeleteAssistantDeps,
  actor: Actor,
  { org_id, assistant_id }: { org_id: string; assistant_id: string },
): Promise<DeletingAssistant> {
  const assistant = await deps.assistants.get(assistant_id);
  if (assistant?.org_id !== org_id) return { kind: 'assistant_not_found' };
  const { name, knowledge_base } = assistant;
  const entry = auditEntryOf(
    {
      org_id,
      actor,
      action: 'assistant.deleted',
      thing: { id: assistant_id, name },
      before: { name, files: knowledge_base.length },
    },
    deps.now(),
    deps.newToken(),
  );
  const checks = Object.fromEntries(
    connectionTypes.map((type) => [type, deps.connections.notNaming(connectionIdFor(org_id, type), assistant_id)]),
  );
  const result = await deps.transact<string>({
    assistant: deps.assistants.removing(assistant),
    audit: deps.audit.adding(entry),
    ...(checks as Record<string, Write>),
  });
  if (!result.committed) {
    const by = connectionTypes.filter((type) => type in result.refused);
    return by.length > 0 ? { kind: 'assistant_in_use', by } : { kind: 'assistant_not_found' };
  }
  await Promise.all(knowledge_base.map(({ path }) => deps.knowledge.remove(path)));
  return { kind: 'deleted' };
}
