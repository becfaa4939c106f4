import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import { STAGE_SCOPE } from '../../../shared/stores/calls/slots/slots.ts';
import type { Item } from '../../unit/support/worlds/expression.ts';
import type { CrmLeads } from '../crm-leads.ts';
import type { FailureRates } from '../failure-rates.ts';
import type { PlatformRecord } from '../platform.ts';
import type { StageSlots } from '../stage-slots.ts';
import type { Timeline } from '../timeline.ts';
import { type AfterCall, checkAfterCall } from './after-call.ts';
import { callsOracle } from './calls.ts';
import { countriesOracle } from './countries.ts';
import { booksOracle } from './credit.ts';
import { checkEnd, type End } from './end.ts';
import { fairnessOracle } from './fairness.ts';
import { gateOracle } from './gate.ts';
import { ringsOracle } from './rings.ts';
import { spendOracle } from './spend.ts';
import type { Fail, Violation } from './violation.ts';

/** Within this time before an opening, no run of recover-calls is skipped. */
const QUIET_MS = 15 * 60_000;
/** How long a hand-over may reserve slots by a limit that it has read. */
const HAND_OVER_MS = 60_000;

/** The stage's limits of concurrent calls and of a day. */
export type StageLimits = {
  slots: StageSlots;
  /** The daily spend limit in units; undefined for none. */
  spend: number | undefined;
};

/** Checks a run for the first broken promise. */
export function oraclesOf(timeline: Timeline, rates: FailureRates, stage: StageLimits, crmLeads: CrmLeads) {
  let violation: Violation | undefined;
  const fail: Fail = (oracle, text, about) => {
    violation ??= { oracle, text, about };
  };
  const limits = new Map<string, number>();
  const lowered = new Map<string, { former: number; untilMs: number }>();
  const limitOf = (scope: string): number => {
    if (scope === STAGE_SCOPE) return stage.slots.since(timeline.ms - HAND_OVER_MS).most;
    const { former = 0, untilMs = 0 } = lowered.get(scope) ?? {};
    const limit = limits.get(scope) ?? Number.POSITIVE_INFINITY;
    return untilMs > timeline.ms ? Math.max(former, limit) : limit;
  };
  const dialMessages = new Map<string, number>();
  const notified = new Set<string>();
  /** Events that are or were on the queue lead-events. Releases belong to calls. */
  const events = new Map<string, LeadEvent>();
  const stored = new Map<string, Call>();
  const books = booksOracle(fail, limitOf);
  const calls = callsOracle(fail);
  const fairness = fairnessOracle(fail, () => timeline.ms, stage.slots, rates.maxLagMs);
  const gate = gateOracle(fail, () => timeline.ms);
  const countries = countriesOracle(fail);
  const spend = spendOracle(fail, () => timeline.ms, stage.spend);
  const rings = ringsOracle(
    fail,
    () => timeline.ms,
    (callId) => stored.get(callId),
    crmLeads,
    rates.isRough,
  );

  return {
    fail,
    get violation() {
      return violation;
    },
    calls,
    rings,
    /** Calls that a daily spend limit has delayed. */
    delayed: spend.delayed,
    dialMessages,
    onChange(table: TableName, before: Item | undefined, after: Item | undefined): void {
      // Skips the list of countries, which is stored beside its organization.
      if (table === 'organizations' && String(after?.org_id).includes('#')) return;
      books.onChange(table, before, after);
      countries.onChange(table, before, after);
      calls.onChange(table, before, after);
      gate.onChange(table, before, after);
      fairness.onChange(table, before, after);
      spend.onChange(table, before, after);
      rings.onChange(table, after);
      if (table === 'calls') stored.set(String(after?.call_id), after as Call);
      if (table === 'organizations') {
        const { org_id, max_live_calls = Number.POSITIVE_INFINITY } = after as Organization;
        const scope = `org#${org_id}`;
        const former = limits.get(scope) ?? max_live_calls;
        if (former > max_live_calls) lowered.set(scope, { former, untilMs: timeline.ms + HAND_OVER_MS });
        limits.set(scope, max_live_calls);
      }
    },
    /** Called after each request of a process to the database. */
    onRequest(by: string | undefined, { TableName, Key }: Item): void {
      if (TableName === 'slots' && (Key as Item | undefined)?.scope === STAGE_SCOPE) fairness.onStageRead(by);
      books.check();
      fairness.check(by);
      spend.check();
    },
    /** Called once a minute. */
    onMinute: () => fairness.checkStarvation(),
    isQuiet: () => calls.isQuiet(new Date(timeline.ms + QUIET_MS).toISOString()),
    onRing(record: PlatformRecord): void {
      rings.onRing(record);
      gate.onRing(record);
    },
    onDialed: gate.onDialed,
    onDialMessage: (callId: string) => void dialMessages.set(callId, (dialMessages.get(callId) ?? 0) + 1),
    onNotified: (webhookId: string) => void notified.add(webhookId),
    onLeadEvent: (event: LeadEvent): void => {
      if (event.source !== 'release') events.set(`${event.connection_id} ${event.event_id}`, event);
    },
    /** Called when no work is left. */
    checkEnd(
      end: Pick<End, 'claims' | 'entries' | 'lacking' | 'promised' | 'secondCalls'> & Pick<AfterCall, 'records'>,
    ): void {
      books.checkEmpty();
      const { rung } = rings;
      const { reservations } = calls;
      const all = [...stored.values()];
      const { delayed } = spend;
      checkEnd(fail, {
        ...end,
        events: [...events.values()],
        calls: all,
        rung,
        reservations,
        dialMessages,
        delayed,
        crmLeads,
        isListed: rings.isListed,
      });
      checkAfterCall(fail, all, { records: end.records, notified });
    },
  };
}
