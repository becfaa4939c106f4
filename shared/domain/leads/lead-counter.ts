import { type ActivityEntry, isRetryable, type Outcome } from '../connections/activity.ts';

type Counted = Pick<ActivityEntry, 'event_id' | 'outcome'>;

export type LeadCounts = {
  /** Entries by outcome. */
  outcomes: Partial<Record<Outcome, number>>;
  /** Events whose last try may be repeated, by its outcome. */
  retryable: Partial<Record<Outcome, number>>;
};

/**
 * Counts entries of Activity, given from the newest to the oldest. An event counts as retryable if its last try does
 * (docs/leads.md, "Credit and retries").
 */
export function leadCounter() {
  const counts: LeadCounts = { outcomes: {}, retryable: {} };
  const settled = new Set<string>();
  const add = (to: LeadCounts['outcomes'], outcome: Outcome) => {
    to[outcome] = (to[outcome] ?? 0) + 1;
  };
  return {
    counts,
    add({ event_id, outcome }: Counted): void {
      add(counts.outcomes, outcome);
      // The event waits for its CRM: its own entry follows.
      if (event_id.endsWith('.waiting')) return;
      const event = event_id.replace(/\.retry\.\d+$/, '');
      if (isRetryable(outcome) && !settled.has(event)) add(counts.retryable, outcome);
      settled.add(event);
      // The event has had its call: this entry is about that call.
      settled.add(event_id.replace(/\.dial(\.\d[^.]*\.\d+Z)?$/, ''));
    },
  };
}
