import type { CallWork } from '../../messages/call-work.ts';
import type { CrmBItem } from '../../stores/calls/call-marks.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { type CrmBCall, type CrmBStepDeps, crmBSteps } from './crm-b/crm-b-steps.ts';
import { type AtReceiverDeps, atReceiver } from './remote-writes/at-receiver.ts';
import {
  type EndTurnDeps,
  endTurn,
  type FinishedCall,
  type TakeTurnDeps,
  type TryStepDeps,
  type Turn,
  takeTurn,
  tryStep,
} from './remote-writes/work-turn.ts';
import type { StepEnd } from './remote-writes/write-once.ts';

export type SyncCrmBDeps = Omit<CrmBStepDeps, 'calls'> &
  TakeTurnDeps &
  AtReceiverDeps & {
    calls: CrmBStepDeps['calls'] & TakeTurnDeps['calls'] & EndTurnDeps['calls'];
    syncQueue: QueueSender<CallWork>;
    warn: (message: string, facts: { call_id: string; connection_id: string; item: CrmBItem; reason: string }) => void;
  };

/** Milliseconds into the turn after which no step begins. */
const LATEST_START_MS = 20_000;

/**
 * Writes a finished call into CRM-B: a call log and a note on its lead, each at most once (docs/call-lifecycle.md,
 * "After the call"). A failed step is retried later and given up at its deadline.
 * @returns a result code for the log. @throws the errors of our stores; the queue then delivers the message again.
 */
export async function syncCrmB(deps: SyncCrmBDeps, callId: string): Promise<string> {
  const turn = await takeTurn(deps, 'crm-b', callId);
  if (!turn) return 'not_due';
  const { call } = turn;
  if (!isForLead(call)) return 'not_due';
  return atReceiver(deps, turn, call.lead.connection_id, (admitted) => writeRecords(deps, admitted, call));
}

async function writeRecords(deps: SyncCrmBDeps, turn: Turn, call: CrmBCall): Promise<string> {
  const stepDeps = stepDepsFor(deps, call);
  const ends: StepEnd[] = [];
  for (const step of crmBSteps(deps, call)) ends.push(await tryStep(stepDeps, turn, step));
  const end = await endTurn({ ...deps, queue: deps.syncQueue }, turn, ends);
  return end === 'done' ? 'synced' : end;
}

const isForLead = (call: FinishedCall): call is CrmBCall => call.lead !== undefined;

const stepDepsFor = (
  { warn, ...deps }: SyncCrmBDeps,
  { call_id, lead: { connection_id } }: CrmBCall,
): TryStepDeps<CrmBItem> => ({
  ...deps,
  system: 'CRM-B',
  latestStartMs: LATEST_START_MS,
  warn: (message, facts) => warn(message, { call_id, connection_id, ...facts }),
});
