import type { CallFilters } from '../app/call-filters.ts';
import { sourceNames, statusWords, successWords } from './calls.ts';

/** How far a filter has looked among the scheduled calls, which come in the order of their times. */
export const searchOfScheduled = {
  told: 'Searched the calls that are to ring by',
  deed: 'Search later ones',
};

/** @returns what a list of calls is narrowed to, as a sentence */
export function filtersInWords(filters: CallFilters): string {
  const { status, assistant, source, success, callback, from, to, q } = filters;
  const parts = [
    q && `phone, lead, id or key “${q}”`,
    status && `status ${statusWords[status].name}`,
    assistant && `assistant ${assistant}`,
    source && `source ${sourceNames[source]}`,
    success && `result ${successWords[success].name}`,
    callback && 'callback failed',
    from && `from ${from}`,
    to && `to ${to}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : `The filters: ${parts.join(', ')}.`;
}
