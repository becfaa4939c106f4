import { type Actor, auditEntryOf } from '../../domain/organizations/audit-entry.ts';
import type { Requester } from '../../domain/organizations/requester.ts';
import type { AuditStore } from '../../stores/organizations/audit.ts';
import {
  type Appending,
  type AppendKnowledgeDeps,
  appendKnowledge,
  type ReadUpload,
} from './steps/append-knowledge.ts';

export type AddKnowledgeDeps = AppendKnowledgeDeps & { audit: Pick<AuditStore, 'adding'>; newToken: () => string };

/** Appends files to an assistant's knowledge base for a member, with an audit entry. @throws as appendKnowledge */
export async function addKnowledge(
  deps: AddKnowledgeDeps,
  actor: Actor,
  { org_id, assistant_id, files, by }: { org_id: string; assistant_id: string; files: ReadUpload; by: Requester },
): Promise<Appending> {
  const assistant = await deps.assistants.get(assistant_id);
  if (assistant?.org_id !== org_id) return { kind: 'assistant_not_found' };
  const thing = { id: assistant_id, name: assistant.name };
  return appendKnowledge(deps, assistant, { files, by }, (added) => {
    const after = { files: added.map(({ filename }) => filename) };
    const change = { org_id, actor, action: 'assistant.knowledge_added' as const, thing, after };
    return deps.audit.adding(auditEntryOf(change, deps.now(), deps.newToken()));
  });
}
