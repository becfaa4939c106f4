import { type ActivityEntry, isRetryable, type RetryableOutcome } from '../connections/activity.ts';
import type { Shown } from '../newer-values.ts';
import { isWaitEntry } from './long-wait.ts';

type Counted = Pick<Shown<ActivityEntry>, 'connection_id' | 'event_id' | 'outcome' | 'superseded_by'>;

export type EntryCounts = {
  /** Entries by outcome, except superseded ones. */
  outcomes: Record<string, number>;
  /** Events whose last try may be repeated, by connection and outcome. */
  retryable: { connection_id: string; outcome: RetryableOutcome; events: number }[];
};

/**
 * Counts entries of Activity, given from the newest to the oldest. An event counts as retryable if its last try is
 * (docs/leads.md, "Credit and retries").
 */
export function entryCounter() {
  const counts: EntryCounts = { outcomes: {}, retryable: [] };
  const settled = new Set<string>();
  const addRetryable = (connection_id: string, outcome: RetryableOutcome) => {
    const known = counts.retryable.find((one) => one.connection_id === connection_id && one.outcome === outcome);
    if (known) known.events += 1;
    else counts.retryable.push({ connection_id, outcome, events: 1 });
  };
  return {
    counts,
    add({ connection_id, event_id, outcome, superseded_by }: Counted): void {
      if (superseded_by === undefined) counts.outcomes[outcome] = (counts.outcomes[outcome] ?? 0) + 1;
      // The event waits for its CRM; its own entry follows.
      if (isWaitEntry({ event_id })) return;
      const event = event_id.replace(/\.retry\.\d+$/, '');
      if (isRetryable(outcome) && !settled.has(event)) addRetryable(connection_id, outcome);
      settled.add(event);
      // The event has had its call: this entry is about that call.
      settled.add(event_id.replace(/\.dial(\.\d[^.]*\.\d+Z)?$/, ''));
    },
  };
}
