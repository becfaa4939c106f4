import { uploadIdFor } from '../../domain/ids.ts';
import { type Actor, actorKey } from '../../domain/organizations/audit/audit-entry.ts';
import type { Requester } from '../../domain/organizations/requester.ts';
import type { AuditStore } from '../../stores/organizations/audit.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import {
  type Appending,
  type AppendKnowledgeDeps,
  appendKnowledge,
  type ReadUpload,
} from './steps/append-knowledge.ts';
import { audited } from './steps/audited-change.ts';
import { type CountOfOrgDeps, countOfOrg } from './steps/count-of-org.ts';

export type AddKnowledgeDeps = AppendKnowledgeDeps &
  CountOfOrgDeps & {
    organizations: Pick<OrganizationStore, 'get'>;
    audit: Pick<AuditStore, 'adding' | 'addingActionMark' | 'hasActionMark'>;
    newToken: () => string;
  };

export type AddingKnowledge = Appending | { kind: 'org_suspended' } | { kind: 'too_many'; resetSeconds: number };

export type KnowledgeAddition = {
  org_id: string;
  assistant_id: string;
  files: ReadUpload;
  by: Requester;
  /** A repeat with the same key, within a day, adds nothing. */
  idempotencyKey: string | undefined;
};

/**
 * Appends files to an assistant's knowledge base for a member, with an audit entry. It counts towards the
 * organization's limit of uploads. @throws as appendKnowledge
 */
export async function addKnowledge(
  deps: AddKnowledgeDeps,
  actor: Actor,
  { org_id, assistant_id, files, by, idempotencyKey }: KnowledgeAddition,
): Promise<AddingKnowledge> {
  const [assistant, org, { allowed, resetSeconds }] = await Promise.all([
    deps.assistants.get(assistant_id),
    deps.organizations.get(org_id),
    countOfOrg(deps, org_id, 'uploads'),
  ]);
  if (assistant?.org_id !== org_id) return { kind: 'assistant_not_found' };
  if (org?.suspended_at) return { kind: 'org_suspended' };
  if (!allowed) return { kind: 'too_many', resetSeconds };
  const thing = { id: assistant_id, name: assistant.name };
  const uploadId = idempotencyKey && uploadIdFor(assistant_id, actorKey(actor), idempotencyKey);
  return appendKnowledge(
    deps,
    assistant,
    { files, by },
    {
      writesFor(added) {
        const after = { files: added.map(({ filename }) => filename) };
        const change = { org_id, actor, action: 'assistant.knowledge_added' as const, thing, after };
        const at = deps.now();
        return {
          audit: audited(deps, change, at),
          mark: uploadId === undefined ? undefined : deps.audit.addingActionMark(org_id, uploadId, at),
        };
      },
      isDone: async () => uploadId !== undefined && deps.audit.hasActionMark(org_id, uploadId),
    },
  );
}
