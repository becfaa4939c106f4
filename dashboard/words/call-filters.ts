import type { CallFilters } from '../app/call-filters.ts';
import { sourceNames, statusWords, successWords } from './calls.ts';

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
