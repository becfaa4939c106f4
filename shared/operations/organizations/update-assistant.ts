import { TransactionContention } from '../../domain/contention.ts';
import { type Assistant, assistantRevision } from '../../domain/organizations/assistants/assistant.ts';
import { definitionChange } from '../../domain/organizations/assistants/assistant-audit.ts';
import {
  type Definition,
  definitionMembers,
  type RemovableMember,
} from '../../domain/organizations/assistants/assistant-definition.ts';
import { fitsOneItem } from '../../domain/organizations/assistants/knowledge-file.ts';
import { type Actor, actorName } from '../../domain/organizations/audit/audit-entry.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import { type AuditedChangeDeps, audited } from './steps/audited-change.ts';
import { type JudgeTransferDeps, judgeTransfer, type TransferRefusal } from './steps/judge-transfer.ts';

export type UpdateAssistantDeps = JudgeTransferDeps &
  AuditedChangeDeps & {
    assistants: Pick<AssistantStore, 'get' | 'changing'>;
  };

export type AssistantChange = {
  assistant_id: string;
  /** The organization that must own the assistant; undefined for any, for operators only. */
  org_id?: string;
  /** The revision that the person has seen; undefined changes any revision. */
  revision?: number;
  set: Definition;
  remove?: readonly RemovableMember[];
};

export type UpdatingAssistant =
  | { kind: 'updated'; assistant: Assistant }
  /** Also returned if the assistant belongs to another organization. */
  | { kind: 'assistant_not_found' }
  /** The stored revision is not the one that the person has seen. */
  | { kind: 'changed_meanwhile'; assistant: Assistant }
  | { kind: 'definition_too_large' }
  | TransferRefusal;

const MAX_TRIES = 5;

/**
 * Changes an assistant's definition; the next dial uses it. A change without effect writes nothing.
 * @throws TransactionContention if the assistant changes in every try
 */
export async function updateAssistant(
  deps: UpdateAssistantDeps,
  actor: Actor,
  { assistant_id, org_id, revision, remove = [], ...given }: AssistantChange,
): Promise<UpdatingAssistant> {
  const set: Definition = Object.fromEntries(Object.entries(given.set).filter(([name]) => !isIn(remove, name)));
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const read = await deps.assistants.get(assistant_id);
    if (!read || (org_id !== undefined && read.org_id !== org_id)) return { kind: 'assistant_not_found' };
    if (revision !== undefined && revision !== assistantRevision(read))
      return { kind: 'changed_meanwhile', assistant: read };
    const at = deps.now();
    const { assistant, change } = changed(read, { set, remove }, actorName(actor), at.toISOString());
    if (change.names.length === 0) return { kind: 'updated', assistant: read };
    if (!fitsOneItem(assistant, [])) return { kind: 'definition_too_large' };
    // An unchanged number is not checked: the dial omits one that is not allowed, and the rest can still be changed.
    const transfer = change.names.includes('transfer_number') ? assistant.transfer_number : undefined;
    const refusal = await judgeTransfer(deps, read.org_id, transfer);
    if (refusal) return refusal;
    const { before, after } = change;
    const thing = { id: assistant_id, name: assistant.name };
    const audit = audited(deps, { org_id: read.org_id, actor, action: 'assistant.updated', thing, before, after }, at);
    const { revision: next, updated_at, updated_by, edits } = assistant;
    const result = await deps.transact({
      assistant: deps.assistants.changing(read, { ...set, revision: next, updated_at, updated_by, edits }, remove),
      audit,
    });
    if (result.committed) return { kind: 'updated', assistant };
  }
  throw new TransactionContention(`assistant ${assistant_id} changed in ${MAX_TRIES} tries`);
}

const isIn = (names: readonly string[], name: string): boolean => names.includes(name);

function changed(
  read: Assistant,
  { set, remove }: Required<Pick<AssistantChange, 'set' | 'remove'>>,
  by: string,
  updated_at: string,
) {
  const kept = Object.fromEntries(Object.entries(read).filter(([name]) => !isIn(remove, name)));
  const revision = assistantRevision(read) + 1;
  const next = { ...kept, ...set, revision, updated_at, updated_by: by } as Assistant;
  const change = definitionChange(definitionOf(read), definitionOf(next));
  const edits = { ...read.edits, ...Object.fromEntries(change.names.map((name) => [name, { revision, by }])) };
  return { assistant: { ...next, edits }, change };
}

const definitionOf = (assistant: Assistant): Definition =>
  Object.fromEntries(
    definitionMembers.flatMap((name) => (assistant[name] === undefined ? [] : [[name, assistant[name]]])),
  );
