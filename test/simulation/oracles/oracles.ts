import type { TableName } from '../../../lib/tables.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import type { Item } from '../../unit/support/expression.ts';
import type { PlatformRecord } from '../platform.ts';
import type { Timeline } from '../timeline.ts';
import type { Weather } from '../weather.ts';
import { type AfterCall, checkAfterCall } from './after-call.ts';
import { booksOracle } from './books.ts';
import { callsOracle } from './calls.ts';
import { checkEnd, type End } from './end.ts';
import { fairnessOracle } from './fairness.ts';
import { ringsOracle } from './rings.ts';
import type { Fail, Violation } from './violation.ts';

/** Every run of recover-calls within this time of an opening matters. */
const QUIET_MS = 15 * 60_000;

/** Watches a run for the first broken promise. @param stageSlots the most live calls of the stage. */
export function oraclesOf(timeline: Timeline, weather: Weather, stageSlots: number) {
  let violation: Violation | undefined;
  const fail: Fail = (oracle, text, about) => {
    violation ??= { oracle, text, about };
  };
  const limits = new Map([['stage', stageSlots]]);
  const dialMessages = new Map<string, number>();
  const notified = new Set<string>();
  /** Events that are on the leads queue or were. Releases belong to calls. */
  const events = new Map<string, LeadEvent>();
  const stored = new Map<string, Call>();
  const books = booksOracle(fail, (scope) => limits.get(scope) ?? Number.POSITIVE_INFINITY);
  const calls = callsOracle(fail);
  const fairness = fairnessOracle(fail, () => timeline.ms, weather.storm === 0);
  const rings = ringsOracle(
    fail,
    () => timeline.ms,
    (callId) => stored.get(callId),
  );

  return {
    fail,
    get violation() {
      return violation;
    },
    calls,
    rings,
    dialMessages,
    onChange(table: TableName, before: Item | undefined, after: Item | undefined): void {
      books.onChange(table, before, after);
      calls.onChange(table, before, after);
      fairness.onChange(table, before, after);
      if (table === 'calls') stored.set(String(after?.call_id), after as Call);
      if (table === 'organizations') {
        const { org_id, max_live_calls = Number.POSITIVE_INFINITY } = after as Organization;
        limits.set(`org#${org_id}`, max_live_calls);
      }
    },
    /** After each request to the database. */
    onRequest(): void {
      books.check();
      fairness.check();
    },
    isQuiet: () => calls.isQuiet(new Date(timeline.ms + QUIET_MS).toISOString()),
    onRing: (record: PlatformRecord) => rings.onRing(record),
    onDialMessage: (callId: string) => void dialMessages.set(callId, (dialMessages.get(callId) ?? 0) + 1),
    onNotified: (webhookId: string) => void notified.add(webhookId),
    onLeadEvent: (event: LeadEvent): void => {
      if (event.source !== 'release') events.set(`${event.connection_id} ${event.event_id}`, event);
    },
    /** When nothing is left to do. */
    checkEnd(end: Pick<End, 'claims' | 'entries' | 'lacking' | 'promised'> & Pick<AfterCall, 'records'>): void {
      books.checkEmpty();
      const { rung } = rings;
      const { reservations } = calls;
      const all = [...stored.values()];
      checkEnd(fail, { ...end, events: [...events.values()], calls: all, rung, reservations, dialMessages });
      checkAfterCall(fail, all, { records: end.records, notified });
    },
  };
}
