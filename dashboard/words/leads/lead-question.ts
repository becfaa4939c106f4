import type { Explanation } from '../../../shared/messages/dashboard/leads.ts';
import { formatPhone } from '../calls/calls.ts';

export const HOW_TO_SEARCH =
  'Search by the whole phone number, or by the id that the CRM gives the lead. Names are not searched';

/** Returns whether a text has only characters of phone numbers. */
const isNumberLike = (text: string): boolean => /^[+()\d\s./-]*$/.test(text);

/** CRM-A may use any text as an id (docs/leads.md, "Reading a body"), but never several words. */
export const mayBeLeadId = ({ phone, lead_id }: Explanation['asked']): boolean => phone !== null || !/\s/.test(lead_id);

const NOT_STORED = 'is in Activity, which is kept for 90 days at most.';

/** Says that no event matches a search, and how the search was read. */
export function noEventFound(asked: Explanation['asked']): string {
  const { phone, lead_id } = asked;
  if (phone !== null) return `No event about the number ${formatPhone(phone)} ${NOT_STORED}`;
  if (!mayBeLeadId(asked)) return `“${lead_id}” is neither a phone number nor a lead id.`;
  const hint = isNumberLike(lead_id) ? ' As a phone number it has too few or too many digits.' : '';
  return `No lead with the id “${lead_id}” ${NOT_STORED}${hint}`;
}
