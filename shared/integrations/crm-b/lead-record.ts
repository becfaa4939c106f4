import type { Lead } from '../../domain/leads/lead.ts';
import { plainText } from '../../domain/text/plain-text.ts';
import { TIMED_OUT } from '../http/request.ts';
import { fieldsWithText, isObject, longest, textOf } from '../lead-text.ts';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { readFrom } from './read.ts';

export type LeadReading =
  /** `changedAt`: when the lead last changed, by the CRM's clock, ISO 8601. It has whole seconds. */
  | { kind: 'found'; lead: Lead; changedAt?: string }
  | { kind: 'not_found' }
  /**
   * The CRM did not return the lead. `isFinal`: repeats fail until a person fixes the cause. `needsConsent`: the fix is
   * a new consent. `retryAfterSeconds`: the wait that the CRM demands. `isCutShort`: a time limit that is shorter than
   * usual ended the request, so the CRM may merely be slow.
   */
  | {
      kind: 'unavailable';
      reason: string;
      isFinal?: true;
      needsConsent?: true;
      retryAfterSeconds?: number;
      isCutShort?: true;
    };

/** The first of these fields with a value is the lead's phone (docs/crm-b.md, "Fetching the lead"). */
const phoneNames = ['Mobile', 'Phone', 'Secondary_Phone', 'Home_Phone'];

/** The fields that the assistant may know (docs/crm-b.md, "Fetching the lead"). */
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

/** Ids are 64-bit numbers (Zoho CRM v8, "Get records"). */
const isLeadId = (id: string): boolean => /^\d{1,19}$/.test(id);

/**
 * Fetches the current state of a lead (Zoho CRM v8, "Get records"). A malformed id causes no request.
 * @returns a lead with one phone at most, because a second phone is never tried (docs/crm-b.md, "Fetching the lead")
 */
export async function getLead(api: CrmBApi, access: CrmBAccess, leadId: string): Promise<LeadReading> {
  if (!isLeadId(leadId)) return { kind: 'not_found' };
  const reading = await readFrom(api, access, { method: 'GET', path: `/crm/v8/Leads/${leadId}` });
  if (reading.kind === 'unavailable') return reading;
  if (reading.kind === 'refused')
    return reading.reason === 'INVALID_DATA'
      ? { kind: 'not_found' }
      : {
          kind: 'unavailable',
          reason: reading.reason,
          isFinal: true,
          ...(reading.needsConsent && { needsConsent: true }),
        };
  if (reading.body === undefined) return { kind: 'not_found' };
  const { data } = Object(reading.body) as { data?: unknown };
  const record: unknown = Array.isArray(data) ? data[0] : undefined;
  if (!isObject(record)) return { kind: 'unavailable', reason: 'the answer contains no lead' };
  // A 2xx may contain the error of its only item.
  if (textOf(record.id) !== leadId)
    return { kind: 'unavailable', reason: textOf(record.code) ?? 'the answer contains another lead' };
  if (isConverted(record)) return { kind: 'not_found' };
  const changedAt = instantOf(record.Modified_Time);
  return { kind: 'found', lead: readLead(leadId, record), ...(changedAt !== undefined && { changedAt }) };
}

/**
 * Returns whether the lead has become a contact. The vendor leaves converted leads out by default ("Get records",
 * `converted`), but clients differ whether a request by id finds them, and COQL lists them for a Sunday sweep.
 */
const isConverted = (record: Record<string, unknown>): boolean =>
  [record.$converted, record.Converted__s].some((value) => textOf(value) === 'true');

const instantOf = (given: unknown): string | undefined => {
  const at = Date.parse(textOf(given) ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
};

/** Works like `getLead`, for a client whose time limit is shorter than usual. */
export async function getLeadBriefly(...request: Parameters<typeof getLead>): Promise<LeadReading> {
  const reading = await getLead(...request);
  return reading.kind === 'unavailable' && reading.reason === TIMED_OUT ? { ...reading, isCutShort: true } : reading;
}

function readLead(leadId: string, record: Record<string, unknown>): Lead {
  const phone = phoneNames.map((name) => textOf(record[name])).find((text) => text !== undefined);
  const owner = isObject(record.Owner) ? record.Owner : {};
  const [ownerId, ownerName] = [textOf(owner.id), textOf(owner.name)];
  return {
    lead_id: leadId,
    phones: phone === undefined ? [] : [plainText(phone, longest.phone)],
    ...(ownerId !== undefined && { owner_id: plainText(ownerId, longest.id) }),
    ...(ownerName !== undefined && { owner_name: plainText(ownerName, longest.name) }),
    // Not a standard field of leads: some accounts add it under this name.
    do_not_call: /^(1|true|yes)$/i.test(textOf(record.Do_Not_Call) ?? ''),
    fields: fieldsWithText(contextNames.map((name) => [name, textOf(record[name])])),
  };
}
