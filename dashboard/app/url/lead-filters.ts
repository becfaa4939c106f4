import { outcomes } from '../../../shared/domain/connections/activity.ts';
import { outcomeGroups } from '../../../shared/domain/leads/outcome-groups.ts';
import { ACTIVITY_DAYS } from '../../../shared/domain/organizations/retention.ts';
import { MAX_SEARCH_CHARACTERS, type RetryBody } from '../../../shared/messages/dashboard/leads.ts';
import { formatCalendarDay } from '../../words/times.ts';
import { rangeQuery, readDay } from './day-range.ts';
import { readText } from './search-text.ts';

const crms = ['crm-a', 'crm-b'] as const;
const testChoices = ['only', 'none'] as const;

/** The filters of the list of lead events, as stored in the address. Days are days in India. */
export type LeadFilters = {
  group?: (typeof outcomeGroups)[number];
  outcome?: (typeof outcomes)[number];
  crm?: (typeof crms)[number];
  tests?: (typeof testChoices)[number];
  from?: string;
  to?: string;
};

/** The address also contains the search: a number or a lead id. */
export type LeadSearch = LeadFilters & { ask?: string };

/** Reads an address's filters; ignores invalid values. */
export function readLeadSearch(search: Readonly<Record<string, unknown>>): LeadSearch {
  const read = {
    ask: readText(search.ask, MAX_SEARCH_CHARACTERS),
    group: outcomeGroups.find((group) => group === search.group),
    outcome: outcomes.find((outcome) => outcome === search.outcome),
    crm: crms.find((crm) => crm === search.crm),
    tests: testChoices.find((tests) => tests === search.tests),
    from: readDay(search.from),
    to: readDay(search.to),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

/** @returns the query of list-lead-events for the filters */
export function leadEventsQuery({ from, to, ...rest }: LeadFilters) {
  return { ...rest, ...rangeQuery({ from, to }) };
}

const DAY_MS = 86_400_000;

/**
 * @returns the request to retry-leads for an outcome. Only the filters of days and test events apply, because the path
 * names the connection.
 */
export function retryRequestOf(
  { from, to, tests }: LeadFilters,
  outcome: RetryBody['outcome'],
  now = new Date(),
): Omit<RetryBody, 'next'> {
  const range = rangeQuery({ from, to });
  return {
    outcome,
    since: range.from ?? new Date(now.getTime() - ACTIVITY_DAYS * DAY_MS).toISOString(),
    ...(range.to && { until: range.to }),
    ...(tests && { tests }),
  };
}

/** "20 Nov 2026 to 22 Nov 2026": the days of the filters, for a sentence. */
export function describeDays({ from, to }: LeadFilters): string {
  if (from && to)
    return from === to ? formatCalendarDay(from) : `${formatCalendarDay(from)} to ${formatCalendarDay(to)}`;
  if (from) return `${formatCalendarDay(from)} to today`;
  return `all days ${to ? `up to ${formatCalendarDay(to)} ` : ''}for which Activity is kept`;
}
