import type { UnfinishedWork } from '../../domain/calls/call.ts';
import { needsSlot, type RecoveryStep, recoverySteps } from '../../domain/calls/recovery/recovery.ts';
import type { UnfinishedCall } from '../../domain/calls/recovery/unfinished-call.ts';
import type { WaitingOrgStore } from '../../stores/calls/slots/waiting-orgs.ts';
import { type HandOverSlotsDeps, handOverSlots } from './hand-over-slots.ts';
import { type ReadUnfinishedDeps, readsOfRun, readUnfinished } from './recovery/read-unfinished.ts';
import { type RecoverCallDeps, recoverCall } from './recovery/recover-call.ts';
import { type WatchSpendDeps, watchSpend } from './recovery/watch-spend.ts';
import { type ReconcileSlotsDeps, reconcileSlots } from './slots/reconcile-slots.ts';

export type RecoverCallsDeps = RecoverCallDeps &
  HandOverSlotsDeps &
  ReadUnfinishedDeps &
  ReconcileSlotsDeps &
  WatchSpendDeps & {
    waitingOrgs: Pick<WaitingOrgStore, 'list'>;
    info: (message: string, facts: { call_id: string; step: RecoveryStep }) => void;
    /** Milliseconds left for this run. It stops early, and the next run continues. */
    timeLeftMs: () => number;
  };

/** The report of a run: how many calls it examined, and how often it took each step. */
export type RecoveryReport = {
  looked_at: number;
  complete: boolean;
  failed: number;
  handed_over: number;
  corrected_slots: number;
} & Partial<Record<RecoveryStep, number>>;

const CONCURRENCY = 8;

/** The most rounds of a hand-over. The messages that the rounds send hand over the remaining slots. */
const MAX_ROUNDS = 20;

/** The end of a run, longer than any step takes: no step begins in it, and no request of a lookup. */
const RESERVE_MS = 40_000;

/** Calls that hold slots come first: every other call may be waiting for one. */
const order = ['claimed', 'reserved', 'waiting', 'scheduled', 'ended'] as const satisfies readonly UnfinishedWork[];

/**
 * Advances every unfinished call that makes no progress (docs/call-lifecycle.md, "recover-calls"). It is the fallback
 * for every lost message. Each kind of work has its share of the time. Time left at the end goes to the kinds whose
 * share was too short, and the next run continues where this one stops. A failure of one call or kind of work does not
 * affect the others.
 */
export async function recoverCalls(deps: RecoverCallsDeps): Promise<RecoveryReport> {
  const report: RecoveryReport = { looked_at: 0, complete: true, failed: 0, handed_over: 0, corrected_slots: 0 };
  const attempt = async (facts: { call_id?: string; work?: string }, act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      report.failed += 1;
      deps.count('CallNotRecovered');
      deps.warn('a step of the recovery failed', { ...facts, error: error as Error });
    }
  };
  const isTimeLeft = () => deps.timeLeftMs() > RESERVE_MS;
  const ofRun: RecoverCallsDeps = {
    ...deps,
    voice: { ...deps.voice, read: readsOfRun(deps.voice.read, deps.timeLeftMs) },
    lookup: { find: (callId, window, former) => deps.lookup.find(callId, window, former, isTimeLeft) },
  };
  const take = (call: UnfinishedCall, step: RecoveryStep) =>
    attempt({ call_id: call.call_id }, async () => {
      await recoverCall(ofRun, call.call_id, step);
      deps.info('a call was advanced', { call_id: call.call_id, step });
      report[step] = (report[step] ?? 0) + 1;
    });

  const listed = new Set<string>();
  const list = async ({ org_id, dial_after }: UnfinishedCall) => {
    if (listed.has(org_id)) return;
    listed.add(org_id);
    await attempt({ work: 'waiting' }, async () => {
      await deps.waitingOrgs.list(org_id, dial_after, deps.now().toISOString());
    });
  };

  const running = new Set<Promise<void>>();
  const start = async (work: Promise<void>) => {
    const task = work.finally(() => running.delete(task));
    running.add(task);
    if (running.size >= CONCURRENCY) await Promise.race(running);
  };
  // Organizations with calls that are live or have just ended.
  const spending = new Set<string>();
  const visited = new Set<string>();
  const visit = async (call: UnfinishedCall) => {
    // The index lists a call again when the run returns to a kind of work. A step that failed waits for the next run.
    const visitId = `${call.unfinished} ${call.call_id}`;
    if (visited.has(visitId)) return;
    visited.add(visitId);
    report.looked_at += 1;
    if (call.unfinished === 'claimed' || call.unfinished === 'ended') spending.add(call.org_id);
    const now = deps.now();
    for (const step of recoverySteps(call, now)) await start(take(call, step));
    if (needsSlot(call, now)) await start(list(call));
  };

  const complete = new Set<UnfinishedWork>();
  const cutShort = new Set<UnfinishedWork>();
  const readWhile = (work: UnfinishedWork, hasTime: () => boolean) =>
    attempt({ work }, async () => {
      const isComplete = await readUnfinished(deps, work, { hasTime, visit });
      (isComplete ? complete : cutShort).add(work);
    });
  for (const [index, work] of order.entries()) {
    // Unused time goes to the kinds of work that follow. The last share belongs to the check of the spend.
    const share = Math.max(0, deps.timeLeftMs() - RESERVE_MS) / (order.length + 1 - index);
    const until = deps.timeLeftMs() - share;
    const hasTime = () => deps.timeLeftMs() > Math.max(until, RESERVE_MS);
    await readWhile(work, hasTime);
    await Promise.all(running);
    if (work !== 'waiting') continue;
    await attempt({ work: 'slots' }, async () => {
      report.corrected_slots = await reconcileSlots(deps, listed);
    });
    await attempt({ work: 'slots' }, async () => {
      for (let round = 0; round < MAX_ROUNDS && hasTime(); round += 1) {
        const reserved = await handOverSlots(deps);
        report.handed_over += reserved;
        if (reserved === 0) break;
      }
    });
  }
  for (const orgId of spending) {
    if (!isTimeLeft()) break;
    await start(attempt({ work: 'spend' }, () => watchSpend(deps, orgId)));
  }
  // A platform that is silent, or refuses late, uses up the share of the calls that are live there. By now the run
  // sends it no more requests, so all calls past their deadline end, however many they are.
  for (const work of cutShort) await readWhile(work, isTimeLeft);
  await Promise.all(running);
  return { ...report, complete: complete.size === order.length };
}
