import type { ActivityEntry, Outcome } from '../connections/activity.ts';
import { groupOf, type OutcomeGroup } from '../connections/outcome-groups.ts';

/** Test events alone, or none; absent = both. */
export type TestChoice = 'only' | 'none';

/** What a list of lead events is narrowed to; what is absent narrows nothing. */
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

/** Whether the filter reads the entries themselves, and not only whose they are and their times. */
export const readsEntries = ({ group, outcome, tests }: LeadEventFilter): boolean =>
  [group, outcome, tests].some((value) => value !== undefined);

/** Whether an entry of the connections and times that are read belongs to a filtered list. */
export function matchesLeadFilter(
  { outcome, test }: Pick<ActivityEntry, 'outcome' | 'test'>,
  filter: LeadEventFilter,
): boolean {
  return (
    (filter.group === undefined || groupOf[outcome] === filter.group) &&
    (filter.outcome === undefined || outcome === filter.outcome) &&
    matchesTests({ test }, filter.tests)
  );
}

export const matchesTests = ({ test }: Pick<ActivityEntry, 'test'>, tests: TestChoice | undefined): boolean =>
  tests === undefined || test === (tests === 'only');
