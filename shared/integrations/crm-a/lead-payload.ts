import type { LeadHappening } from '../../domain/connections/activity.ts';
import type { Lead } from '../../domain/leads/lead.ts';
import { plainText } from '../../domain/text/plain-text.ts';
import { textOf as crmText, fieldsWithText, isObject, longest, shownKeys } from '../lead-text.ts';

/** What one entry of a delivery says. */
export type LeadPayload = { event: LeadHappening; lead: Lead; keys: string[] };

const MOST_LEADS = 500;

/** Names are compared without case, spaces and underscores: forms and tenants spell them as they like. */
const idNames = ['prospectid', 'leadid', 'id'];
const phoneNames = ['phone', 'mobile', 'phonenumber', 'contactnumber', 'mxphone', 'mxmobile'];
const ownerNames = ['ownerid'];
const doNotCallNames = ['donotcall'];

const comparable = (name: string): string => name.toLowerCase().replace(/[\s_]/g, '');

/**
 * Reads a delivery of CRM-A (LeadSquared): a lead or a list of them, each flat (event 3, lead created) or as `Before` and
 * `After` (event 4, owner changed), of which only `After` counts; automations send it as `Current`.
 * @param body the parsed JSON or form. Nothing is taken for granted about its types.
 * @returns undefined where there is no lead in it at all, or more than 500.
 */
export function readLeadPayloads(body: unknown): LeadPayload[] | undefined {
  const entries = Array.isArray(body) ? body : [body];
  if (!entries.some(isObject) || entries.length > MOST_LEADS) return undefined;
  return entries.map((entry) => readEntry(isObject(entry) ? entry : {}));
}

function readEntry(entry: Record<string, unknown>): LeadPayload {
  const members = membersOf(entry);
  const hasAfter = members.has('after');
  const envelope = hasAfter ? 'After' : 'Current';
  const inner = members.get(envelope.toLowerCase());
  const isNested = hasAfter || isObject(inner);
  return {
    event: hasAfter ? 'owner_reassignment' : 'new_lead',
    lead: readLead(isNested ? (isObject(inner) ? inner : {}) : entry),
    keys: shownKeys([
      ...Object.keys(entry),
      ...(isObject(inner) ? Object.keys(inner).map((key) => `${envelope}.${key}`) : []),
    ]),
  };
}

function readLead(raw: Record<string, unknown>): Lead {
  const members = membersOf(raw);
  const first = (names: string[]) => names.map((name) => textOf(members.get(name))).find((text) => text !== undefined);
  const leadId = first(idNames);
  const ownerId = first(ownerNames);
  return {
    ...(leadId !== undefined && leadId.length <= longest.id && { lead_id: leadId }),
    phones: phoneNames
      .map((name) => textOf(members.get(name)))
      .filter((text) => text !== undefined)
      .map((text) => plainText(text, longest.phone)),
    ...(ownerId !== undefined && { owner_id: plainText(ownerId, longest.id) }),
    do_not_call: /^(1|true|yes)$/i.test(first(doNotCallNames) ?? ''),
    fields: fieldsOf(raw),
  };
}

/** By comparable name; of two that are the same but for spelling, the first that has a value. */
function membersOf(raw: Record<string, unknown>): Map<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(raw)) {
    const key = comparable(name);
    const known = members.get(key);
    if (!isObject(known) && textOf(known) === undefined) members.set(key, value);
  }
  return members;
}

/** What a template can name. */
const isName = (name: string): boolean => name.length <= longest.name && /^[\p{L}\p{M}\p{N}_ $.-]+$/u.test(name);

function fieldsOf(raw: Record<string, unknown>): Record<string, string> {
  const named = Object.entries(raw).filter(([name]) => isName(name));
  return fieldsWithText(named.map(([name, value]) => [name, textOf(value)]));
}

/** Values are strings or null by the vendor's word, and numbers or flags where others post. Its line breaks are `{mxnewline}`. */
const textOf = (value: unknown): string | undefined =>
  crmText(typeof value === 'string' ? value.replaceAll('{mxnewline}', '\n') : value);
