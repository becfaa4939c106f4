import type { Lead } from '../../domain/leads/lead.ts';
import { plainText } from '../../domain/text/plain-text.ts';
import { fieldsWithText, isObject, longest, textOf } from '../lead-text.ts';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { readFrom } from './read.ts';

export type LeadReading =
  | { kind: 'found'; lead: Lead }
  | { kind: 'not_found' }
  /** The CRM did not tell. `isFinal`: nor will it, before a person has mended something there or connected again. */
  | { kind: 'unavailable'; reason: string; isFinal?: true };

/** Interface, "CRM-B lead fields read": the first that is not empty is the lead's phone. */
const phoneNames = ['Mobile', 'Phone', 'Secondary_Phone', 'Home_Phone'];

/** What the assistant may know of the lead (interface, "CRM-B lead fields read"). */
const contextNames = [
  'Full_Name',
  'First_Name',
  'Last_Name',
  'Company',
  'Email',
  'Lead_Source',
  'Lead_Status',
  'City',
  'State',
  'Description',
  'Designation',
];

/** Ids are longs, written in digits (Zoho CRM v8, "Get records"). */
const isLeadId = (id: string): boolean => /^\d{1,19}$/.test(id);

/**
 * Fetches a lead as it is now (Zoho CRM v8, "Get records": 204 = there is none). What can be no lead's id is not asked for.
 * @returns `phones` with one phone at most: a second one is never tried (interface).
 */
export async function getLead(api: CrmBApi, access: CrmBAccess, leadId: string): Promise<LeadReading> {
  if (!isLeadId(leadId)) return { kind: 'not_found' };
  const reading = await readFrom(api, access, { method: 'GET', path: `/crm/v8/Leads/${leadId}` });
  if (reading.kind === 'unavailable') return reading;
  if (reading.kind === 'refused')
    return reading.reason === 'INVALID_DATA'
      ? { kind: 'not_found' }
      : { kind: 'unavailable', reason: reading.reason, isFinal: true };
  if (reading.body === undefined) return { kind: 'not_found' };
  const { data } = Object(reading.body) as { data?: unknown };
  const record: unknown = Array.isArray(data) ? data[0] : undefined;
  if (!isObject(record)) return { kind: 'unavailable', reason: 'the answer holds no lead' };
  // An error of the one item rides on a 2xx.
  if (textOf(record.id) !== leadId)
    return { kind: 'unavailable', reason: textOf(record.code) ?? 'the answer holds another lead' };
  return { kind: 'found', lead: readLead(leadId, record) };
}

function readLead(leadId: string, record: Record<string, unknown>): Lead {
  const phone = phoneNames.map((name) => textOf(record[name])).find((text) => text !== undefined);
  const ownerId = isObject(record.Owner) ? textOf(record.Owner.id) : undefined;
  return {
    lead_id: leadId,
    phones: phone === undefined ? [] : [plainText(phone, longest.phone)],
    ...(ownerId !== undefined && { owner_id: plainText(ownerId, longest.id) }),
    // The vendor has no such field for leads; who keeps one adds it under this name.
    do_not_call: /^(1|true|yes)$/i.test(textOf(record.Do_Not_Call) ?? ''),
    fields: fieldsWithText(contextNames.map((name) => [name, textOf(record[name])])),
  };
}
