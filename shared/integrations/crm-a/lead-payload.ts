import type { LeadEventKind } from '../../domain/connections/activity.ts';
import type { Lead } from '../../domain/leads/lead.ts';
import { plainText } from '../../domain/text/plain-text.ts';
import { textOf as crmText, fieldsWithText, isObject, longest, shownKeys } from '../lead-text.ts';

/** One entry of a delivery. */
export type LeadPayload = { event: LeadEventKind; lead: Lead; keys: string[] };

const MAX_LEADS = 500;

/** Names are compared without case, spaces and underscores, because tenants spell them differently. */
const idNames = ['prospectid', 'leadid', 'id'];
const phoneNames = ['phone', 'mobile', 'phonenumber', 'contactnumber', 'mxphone', 'mxmobile'];
const ownerNames = ['ownerid'];
const doNotCallNames = ['donotcall'];

const comparable = (name: string): string => name.toLowerCase().replace(/[\s_]/g, '');

/**
 * Reads a delivery of CRM-A (LeadSquared): a lead or a list of leads. A lead is flat (event 3, lead created), in
 * `After` beside `Before` (event 4, owner changed), or in `Current` (automations).
 * @param body the parsed JSON or form, of any shape
 * @returns undefined if the body has no lead or more than 500
 */
export function readLeadPayloads(body: unknown): LeadPayload[] | undefined {
  const entries = Array.isArray(body) ? body : [body];
  if (!entries.some(isObject) || entries.length > MAX_LEADS) return undefined;
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

/** Maps comparable names to values. The first spelling of a name that has a value wins. */
function membersOf(raw: Record<string, unknown>): Map<string, unknown> {
  const members = new Map<string, unknown>();
  for (const [name, value] of Object.entries(raw)) {
    const key = comparable(name);
    const known = members.get(key);
    if (!isObject(known) && textOf(known) === undefined) members.set(key, value);
  }
  return members;
}

/** Returns whether a template can refer to this name. */
const isName = (name: string): boolean => name.length <= longest.name && /^[\p{L}\p{M}\p{N}_ $.-]+$/u.test(name);

function fieldsOf(raw: Record<string, unknown>): Record<string, string> {
  const named = Object.entries(raw).filter(([name]) => isName(name));
  return fieldsWithText(named.map(([name, value]) => [name, textOf(value)]));
}

/** Reads a value. The vendor sends strings and null; other senders may post numbers and flags. */
const textOf = (value: unknown): string | undefined =>
  crmText(typeof value === 'string' ? value.replaceAll('{mxnewline}', '\n') : value);
