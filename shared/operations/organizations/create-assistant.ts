import { assistantIdFor, newAssistantId } from '../../domain/ids.ts';
import { type Assistant, assistantSchema } from '../../domain/organizations/assistants/assistant.ts';
import { definitionChange } from '../../domain/organizations/assistants/assistant-audit.ts';
import { completeDefinition, type Definition } from '../../domain/organizations/assistants/assistant-definition.ts';
import { fitsOneItem } from '../../domain/organizations/assistants/knowledge-file.ts';
import { type Actor, actorKey, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';
import { type JudgeTransferDeps, judgeTransfer, type TransferRefusal } from './steps/judge-transfer.ts';

export type CreateAssistantDeps = JudgeTransferDeps &
  AuditedChangeDeps & {
    assistants: Pick<AssistantStore, 'adding'>;
  };

export type CreatingAssistant =
  | { kind: 'created'; assistant: Assistant }
  | { kind: 'definition_too_large' }
  /** An earlier request with the key created the assistant, which was deleted. */
  | { kind: 'assistant_not_found' }
  | TransferRefusal;

/**
 * Creates an assistant with an empty knowledge base.
 * @param definition validated; only its name is required
 * @param idempotencyKey a repeat with the same key and definition returns the same assistant, as it is by then; absent
 * if the request is never repeated
 */
export async function createAssistant(
  deps: CreateAssistantDeps,
  actor: Actor,
  { org_id, ...definition }: Definition & { name: string; org_id: string },
  idempotencyKey?: string,
): Promise<CreatingAssistant> {
  const at = deps.now();
  const complete = completeDefinition(definition);
  const assistant: Assistant = {
    assistant_id:
      idempotencyKey === undefined
        ? newAssistantId()
        : assistantIdFor(org_id, actorKey(actor), idempotencyKey, JSON.stringify(definition)),
    org_id,
    ...complete,
    knowledge_base: [],
    created_at: at.toISOString(),
    revision: 1,
    updated_at: at.toISOString(),
    updated_by: actorName(actor),
  };
  if (!fitsOneItem(assistant, [])) return { kind: 'definition_too_large' };
  const refusal = await judgeTransfer(deps, org_id, assistant.transfer_number);
  if (refusal) return refusal;
  const thing = { id: assistant.assistant_id, name: assistant.name };
  const { after } = definitionChange({}, complete);
  const audit = audited(deps, { org_id, actor, action: 'assistant.created', thing, after }, at);
  const result = await deps.transact(
    { assistant: deps.assistants.adding(assistant), audit },
    { decidedBy: ['assistant'] },
  );
  if (result.committed) return { kind: 'created', assistant };
  const created = assistantSchema.safeParse(result.refused.assistant?.item);
  return created.success ? { kind: 'created', assistant: created.data } : { kind: 'assistant_not_found' };
}
