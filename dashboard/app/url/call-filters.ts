import { successEvals } from '../../../shared/domain/calls/analysis.ts';
import { callPhases } from '../../../shared/domain/calls/call-phase.ts';
import { callSources } from '../../../shared/domain/calls/call-source.ts';
import { callStatuses } from '../../../shared/domain/calls/call-status.ts';
import { rangeQuery, readDay } from './day-range.ts';
import { readText } from './search-text.ts';

/** The filters of the list of calls, as stored in the address. Days are days in India. */
export type CallFilters = {
  /** The tab. */
  phase?: (typeof callPhases)[number];
  status?: (typeof callStatuses)[number];
  assistant?: string;
  source?: (typeof callSources)[number];
  success?: (typeof successEvals)[number];
  callback?: 'failed';
  from?: string;
  to?: string;
  q?: string;
};

/** Reads an address's filters; ignores invalid values. */
export function readCallFilters(search: Readonly<Record<string, unknown>>): CallFilters {
  const filters = {
    phase: callPhases.find((phase) => phase === search.phase),
    status: callStatuses.find((status) => status === search.status),
    assistant: readText(search.assistant, 64),
    source: callSources.find((source) => source === search.source),
    success: successEvals.find((success) => success === search.success),
    callback: search.callback === 'failed' ? 'failed' : undefined,
    from: readDay(search.from),
    to: readDay(search.to),
    q: readText(search.q, 256),
  };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}

/** @returns the filters without the tab */
export const withoutTab = ({ phase: _, ...filters }: CallFilters): CallFilters => filters;

/** @returns the query of list-calls for the filters */
export function callsQuery({ assistant, from, to, ...rest }: CallFilters) {
  return {
    ...rest,
    ...(assistant && { assistant_id: assistant }),
    ...rangeQuery({ from, to }),
  };
}

type ListedAssistant = { assistant_id: string; name: string };

/**
 * @param seen the assistants of the calls shown so far, by id, including deleted ones
 * @param chosen is offered even if its name is unknown
 * @returns the assistants to choose from, by name
 */
export function assistantOptions(
  seen: ReadonlyMap<string, string>,
  listed: readonly ListedAssistant[],
  chosen: string | undefined,
): (readonly [id: string, name: string])[] {
  const names = new Map([...seen, ...listed.map(({ assistant_id: id, name }) => [id, name] as const)]);
  const options = [...names].sort(([, one], [, other]) => one.localeCompare(other));
  return chosen === undefined || names.has(chosen) ? options : [...options, [chosen, chosen]];
}
