import type { RetryableOutcome } from '../connections/activity.ts';
import type { EntryCounts } from './entry-counter.ts';

/** The retryable outcomes that the pages of version 0.9.0 know. They refuse an answer with another one. */
const former: readonly string[] = [
  'insufficient_credits',
  'destination_not_allowed',
  'crm_unavailable',
  'expired',
  'platform_unreachable',
] satisfies RetryableOutcome[];

/** Returns counts of Activity for the dashboard, also for the pages of version 0.9.0. */
export const viewLeadCounts = ({ outcomes, retryable }: EntryCounts) => ({
  outcomes,
  retryable: retryable.filter(({ outcome }) => former.includes(outcome)),
  also_retryable: retryable.filter(({ outcome }) => !former.includes(outcome)),
});

/** Returns all retryable events of such counts, which version 0.9.0 has in one member. */
export const allRetryable = <Counted>(counts: {
  retryable: readonly Counted[];
  also_retryable?: readonly Counted[] | undefined;
}): Counted[] => [...counts.retryable, ...(counts.also_retryable ?? [])];
