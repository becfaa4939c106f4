import type { Outcome } from '../connections/activity.ts';
import { type Connection, isConnected } from '../connections/connection.ts';
import type { Assistant } from '../organizations/assistant.ts';
import { holdFor, lackOfCredit } from '../organizations/credit.ts';
import type { Organization } from '../organizations/organization.ts';
import { toE164 } from '../text/national-number.ts';
import type { Opening } from '../time/call-window.ts';
import type { Lead } from './lead.ts';

/** All that decides about a lead event. */
export type LeadFacts = {
  lead: Lead;
  /** What the CRM answered when it was asked for the lead in vain. */
  notFetched?: { outcome: 'lead_not_found' | 'crm_unavailable'; reason: string } | undefined;
  connection: Pick<Connection, 'type' | 'auto_call' | 'token_hash' | 'grant' | 'trigger_owner_user_id' | 'org_id'>;
  org: Pick<Organization, 'platform_numbers' | 'default_region' | 'available' | 'rate'>;
  /** The connection's assistant, where there is one. */
  assistant: Pick<Assistant, 'org_id' | 'assistant_id' | 'name' | 'max_duration_seconds'> | undefined;
  /** Whether the org's do-not-call list has the lead's phone. */
  onDoNotCallList: boolean;
  /** The event whose call it would be: the original one, where this one repeats it. */
  eventId: string;
  /** The events that own the claims of the day on which it would be dialed, and the lead's of the days since the event. */
  claimedBy: { lead: readonly string[]; phone: readonly string[] };
  /** Whether the Sunday sweep has had the lead called within its window (sunday-retry.ts). */
  wasRetriedRecently?: boolean;
  /** The opening of the call window that now is in, or the next one; undefined = always open. */
  opening?: (Opening & { isOpen: boolean }) | undefined;
};

type Callee = { leadId: string; phone: string; assistant: NonNullable<LeadFacts['assistant']> };

export type LeadDecision =
  /** Another delivery of this event was faster. */
  | { call: 'placed' }
  | ({ call: true; hold: number; opening: Opening | undefined } & Callee)
  /** It waits for its window; its credit is looked at then. */
  | ({ call: 'scheduled'; opening: Opening } & Callee)
  | { call: false; outcome: RefusedOutcome; reason: string };

export type RefusedOutcome = Exclude<Outcome, 'call queued' | 'call scheduled'>;

/** @returns the first of the lead's phones that can be dialed, in E.164. @param region of numbers without country code. */
export function dialablePhone(lead: Pick<Lead, 'phones'>, region: string): string | undefined {
  // Some write two numbers into one field. A slash may also stand inside of one, so the whole comes first.
  const candidates = lead.phones.flatMap((phone) => [phone, ...phone.split(/[/,;|]/)]);
  for (const candidate of candidates) {
    const number = toE164(candidate, region);
    if (number) return number;
  }
  return undefined;
}

/**
 * Whether a lead event becomes a call, or why not: the first reason that holds, in this order (interface, "Webhook
 * processing rules"; docs/leads.md, "The decision").
 */
export function decideLead({
  lead,
  notFetched,
  connection,
  org,
  assistant,
  onDoNotCallList,
  eventId,
  claimedBy,
  wasRetriedRecently = false,
  opening,
}: LeadFacts): LeadDecision {
  // Before all else: what it took would look taken, and what it holds is not available any more.
  if ([...claimedBy.lead, ...claimedBy.phone].includes(eventId)) return { call: 'placed' };

  if (!isConnected(connection)) return no('auto_call_disabled', 'The connection is disconnected.');
  if (!connection.auto_call) return no('auto_call_disabled', 'Auto-call is off for this connection.');

  if (lead.lead_id === undefined)
    return no('no_lead_id_in_payload', 'The payload has no lead id; its keys stand in this entry.');

  if (notFetched) return no(notFetched.outcome, notFetched.reason);

  const wanted = connection.trigger_owner_user_id;
  if (wanted === undefined)
    return no('owner_mismatch', 'The connection has no trigger owner yet, so no lead can match it.');
  if (lead.owner_id !== wanted)
    return no(
      'owner_mismatch',
      lead.owner_id === undefined ? 'The lead has no owner.' : 'The lead belongs to another owner.',
    );

  const phone = dialablePhone(lead, org.default_region);
  if (!phone)
    return no(
      'no_dialable_phone',
      lead.phones.length === 0 ? 'The lead has no phone number.' : 'No phone number of the lead can be dialed.',
    );
  if (org.platform_numbers.includes(phone))
    return no('own_platform_number', "The lead's phone is one of the organization's own numbers.");
  if (lead.do_not_call) return no('do_not_call', 'The CRM marks the lead as not to be called.');
  if (onDoNotCallList) return no('do_not_call', 'The number is on the do-not-call list.');

  if (!assistant || assistant.org_id !== connection.org_id)
    return no('assistant_missing', 'The connection has no assistant of its organization.');

  if (wasRetriedRecently)
    return no('retried_recently', 'The Sunday sweep had this lead called less than 20 hours ago.');
  if (claimedBy.lead.length > 0) return no('already_called', 'This lead was called already that day or since.');
  if (claimedBy.phone.length > 0) return no('phone_already_called', 'This phone number was called already today.');

  const callee = { leadId: lead.lead_id, phone, assistant };
  if (opening && !opening.isOpen) return { call: 'scheduled', opening, ...callee };

  const hold = holdFor(org.rate, assistant.max_duration_seconds);
  if (org.available < hold) return outOfCredit(hold, org.available);
  return { call: true, hold, opening, ...callee };
}

/** @param hold what the call may cost, in units. @param available what there is. */
export const outOfCredit = (hold: number, available: number): Extract<LeadDecision, { call: false }> =>
  no('insufficient_credits', lackOfCredit(hold, available).message);

const no = (outcome: RefusedOutcome, reason: string) => ({ call: false as const, outcome, reason });
