import type { CallFilters } from '../../app/url/call-filters.ts';
import { formatCalendarDay } from '../times.ts';
import { sourceNames, statusWords, successWords } from './calls.ts';

/** @returns which calls the list shows, and in which order */
export function describeListedCalls({ phase, q }: CallFilters): string {
  const order =
    phase === undefined || q !== undefined
      ? 'All calls, newest first.'
      : phase === 'live'
        ? 'Live calls, newest first.'
        : 'Scheduled calls, the next one first.';
  return `${order} The list updates itself while calls are live.`;
}

/** How far a filter has searched the scheduled calls, which are sorted by time. */
export const scheduledSearchWords = {
  searchedTo: 'Searched the calls scheduled up to',
  action: 'Search later calls',
};

/**
 * @param assistantName of the filter's assistant, if it is known
 * @returns the list's filters as a sentence
 */
export function describeCallFilters(filters: CallFilters, assistantName = filters.assistant): string {
  const { status, assistant, source, success, callback, from, to, q } = filters;
  const parts = [
    q && `phone, lead, id or key “${q}”`,
    status && `status ${statusWords[status].name}`,
    assistant && `assistant ${assistantName}`,
    source && `source ${sourceNames[source]}`,
    success && `result ${successWords[success].name}`,
    callback && 'callback failed',
    from && `from ${formatCalendarDay(from)}`,
    to && `to ${formatCalendarDay(to)}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `The filters: ${parts.join(', ')}.`;
}
