import { newAssistantId } from '../../domain/ids.ts';
import type { Assistant } from '../../domain/organizations/assistants/assistant.ts';
import { definitionChange } from '../../domain/organizations/assistants/assistant-audit.ts';
import { completeDefinition, type Definition } from '../../domain/organizations/assistants/assistant-definition.ts';
import { fitsOneItem } from '../../domain/organizations/assistants/knowledge-file.ts';
import { type Actor, actorName, auditEntryOf } from '../../domain/organizations/audit/audit-entry.ts';
import type { Transact } from '../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import type { AuditStore } from '../../stores/organizations/audit.ts';
import { type JudgeTransferDeps, judgeTransfer, type TransferRefusal } from './steps/judge-transfer.ts';

export type CreateAssistantDeps = JudgeTransferDeps & {
  assistants: Pick<AssistantStore, 'adding'>;
  audit: Pick<AuditStore, 'adding'>;
  transact: Transact;
  now: () => Date;
  newToken: () => string;
};

export type CreatingAssistant =
  | { kind: 'created'; assistant: Assistant }
  | { kind: 'definition_too_large' }
  | TransferRefusal;

/** Creates an assistant with an empty knowledge base. @param definition validated; only its name is required. */
export async function createAssistant(
  deps: CreateAssistantDeps,
  actor: Actor,
  { org_id, ...definition }: Definition & { name: string; org_id: string },
): Promise<CreatingAssistant> {
  const at = deps.now();
  const complete = completeDefinition(definition);
  const assistant: Assistant = {
    assistant_id: newAssistantId(),
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
  const entry = auditEntryOf({ org_id, actor, action: 'assistant.created', thing, after }, at, deps.newToken());
  const result = await deps.transact({ assistant: deps.assistants.adding(assistant), audit: deps.audit.adding(entry) });
  if (!result.committed) throw new Error(`assistant ${assistant.assistant_id} already exists`);
  return { kind: 'created', assistant };
}
