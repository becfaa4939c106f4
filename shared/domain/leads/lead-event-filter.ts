import type { ActivityEntry, Outcome } from '../connections/activity.ts';
import type { Shown } from '../newer-values.ts';
import { groupOfOutcome, type OutcomeGroup } from './outcome-groups.ts';

/** Whether to list only test events (`only`) or only real ones (`none`); absent for both. */
export type TestChoice = 'only' | 'none';

/** The filters of a list of lead events; absent ones do not apply. */
export type LeadEventFilter = {
  group?: OutcomeGroup | undefined;
  outcome?: Outcome | undefined;
  /** The connection's type. */
  crm?: 'crm-a' | 'crm-b' | undefined;
  tests?: TestChoice | undefined;
  /** When the event was queued: ISO 8601, both inclusive. */
  from?: string | undefined;
  to?: string | undefined;
};

/** Returns whether the filter needs the entries themselves, and not only their connections and times. */
export const readsEntries = ({ group, outcome, tests }: LeadEventFilter): boolean =>
  [group, outcome, tests].some((value) => value !== undefined);

/**
 * Returns whether an entry belongs to a filtered list, given that its connection and time match. A superseded entry is
 * in no group: its event is in the group of another one.
 */
export function matchesLeadFilter(
  { outcome, test, superseded_by }: Pick<Shown<ActivityEntry>, 'outcome' | 'test' | 'superseded_by'>,
  filter: LeadEventFilter,
): boolean {
  return (
    (filter.group === undefined || (superseded_by === undefined && groupOfOutcome(outcome) === filter.group)) &&
    (filter.outcome === undefined || outcome === filter.outcome) &&
    matchesTests({ test }, filter.tests)
  );
}

export const matchesTests = ({ test }: Pick<ActivityEntry, 'test'>, tests: TestChoice | undefined): boolean =>
  tests === undefined || test === (tests === 'only');
