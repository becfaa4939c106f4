import { CANCELED_SINCE } from '../calls/dialing/cancel-claim.ts';
import type { Outcome } from '../connections/activity.ts';
import { type Connection, whyOff } from '../connections/connection.ts';
import type { Assistant } from '../organizations/assistants/assistant.ts';
import { holdFor, lackOfCredit } from '../organizations/credit.ts';
import { rateFor, whyNotAllowed } from '../organizations/destination-rule.ts';
import type { Organization } from '../organizations/organization.ts';
import { numbersIn } from '../text/national-number.ts';
import type { Opening } from '../time/call-window.ts';
import type { Lead } from './lead.ts';

/** The facts that decide a lead event. */
export type LeadFacts = {
  lead: Lead;
  /** Why the CRM did not return the lead. */
  notFetched?: { outcome: 'lead_not_found' | 'crm_unavailable'; reason: string } | undefined;
  connection: Pick<Connection, 'type' | 'auto_call' | 'token_hash' | 'grant' | 'trigger_owner_user_id' | 'org_id'>;
  org: Pick<
    Organization,
    'platform_numbers' | 'default_region' | 'countries' | 'available' | 'held' | 'rate' | 'rates'
  >;
  /** The connection's assistant, if it has one. */
  assistant: Pick<Assistant, 'org_id' | 'assistant_id' | 'name' | 'max_duration_seconds'> | undefined;
  onDoNotCallList: boolean;
  /** The event that would own the call: the original one if this event repeats it. */
  eventId: string;
  /** The owners of the lead's claims since the event, and of the phone's claim of the day of the dial. */
  claimedBy: { lead: readonly string[]; phone: readonly string[] };
  /** Why auto-call counts as off for the event, although it is on again. */
  wasOff?: string | undefined;
  /** Whether a person has canceled a call of the lead since the change that the event is about. */
  wasCanceledSince?: boolean;
  /** Whether the Sunday sweep called the lead within its interval (sunday-interval.ts). */
  wasRetriedRecently?: boolean;
  /** The current or next opening of the call window; undefined means always open. */
  opening?: (Opening & { isOpen: boolean }) | undefined;
};

/** The reason for refusing a lead with the CRM's do-not-call flag. */
export const CRM_FLAG_REASON = "The CRM's do-not-call flag is set for this lead.";

type Callee = { leadId: string; phone: string; assistant: NonNullable<LeadFacts['assistant']> };

export type LeadDecision =
  /** Another delivery of this event has already placed the call. */
  | { kind: 'already_placed' }
  | ({ kind: 'call'; hold: number; opening: Opening | undefined } & Callee)
  /** The call waits for its window. Its credit is checked at the release. */
  | ({ kind: 'scheduled'; opening: Opening } & Callee)
  | LeadRefusal;

export type RefusedOutcome = Exclude<
  Outcome,
  | 'call queued'
  | 'call scheduled'
  | 'spend_limit_reached'
  | 'expired'
  | 'platform_unreachable'
  | 'refused_by_platform'
  | 'lost'
>;

export type LeadRefusal = { kind: 'refused'; outcome: RefusedOutcome; reason: string };

/**
 * Returns why the call of a lead ends if the lead is refused now. The CRM's do-not-call flag takes precedence over
 * another owner or a missing phone: the person may have asked for it, so another lead with this phone must not be
 * called instead.
 */
export const endOfCall = (refusal: LeadRefusal, { do_not_call }: Pick<Lead, 'do_not_call'>): LeadRefusal =>
  do_not_call ? refuse('do_not_call', CRM_FLAG_REASON) : refusal;

/**
 * Returns the first of the lead's phones that can be dialed, in E.164.
 * @param region of numbers without a country code
 */
export function dialablePhone(lead: Pick<Lead, 'phones'>, region: string): string | undefined {
  for (const phone of lead.phones) for (const number of numbersIn(phone, region)) return number;
  return undefined;
}

/** Decides whether a lead event becomes a call. The first rule that applies decides (docs/leads.md, "The decision"). */
export function decideLead({
  lead,
  notFetched,
  connection,
  org,
  assistant,
  onDoNotCallList,
  eventId,
  claimedBy,
  wasOff,
  wasCanceledSince = false,
  wasRetriedRecently = false,
  opening,
}: LeadFacts): LeadDecision {
  // First, because the event's own claims and hold would otherwise count against it.
  if ([...claimedBy.lead, ...claimedBy.phone].includes(eventId)) return { kind: 'already_placed' };

  if (wasOff) return refuse('auto_call_disabled', wasOff);
  const found = decideLeadAlone({ lead, notFetched, connection, org, onDoNotCallList });
  if ('kind' in found) return found;
  const { leadId, phone } = found;

  if (!assistant || assistant.org_id !== connection.org_id)
    return refuse('assistant_missing', 'The connection has no assistant of its organization.');

  if (wasRetriedRecently)
    return refuse('retried_recently', 'The Sunday sweep called this lead less than 20 hours ago.');
  if (claimedBy.lead.length > 0)
    return refuse('already_called', 'This lead has already been called on that day or since.');
  if (wasCanceledSince) return refuse('already_called', CANCELED_SINCE);
  if (claimedBy.phone.length > 0)
    return refuse('phone_already_called', 'This phone number has already been called on that day.');

  const callee = { leadId, phone, assistant };
  if (opening && !opening.isOpen) return { kind: 'scheduled', opening, ...callee };

  const hold = holdFor(rateFor(org, phone), assistant.max_duration_seconds);
  // Open calls may cost less than they hold: the credit that they return may cover this call, which takes its credit at
  // its dial.
  if (org.available + org.held < hold) return outOfCredit(hold, org.available);
  return { kind: 'call', hold, opening, ...callee };
}

/**
 * Applies the rules about the connection and the lead itself. They apply until the phone rings, so a waiting call is
 * checked against them again (docs/leads.md, "Before the phone rings").
 * @returns the refusal, or the lead's id and phone
 */
export function decideLeadAlone({
  lead,
  notFetched,
  connection,
  org,
  onDoNotCallList,
}: Pick<LeadFacts, 'lead' | 'notFetched' | 'connection' | 'onDoNotCallList'> & {
  org: Pick<Organization, 'platform_numbers' | 'default_region' | 'countries'>;
}): LeadRefusal | { leadId: string; phone: string } {
  const off = whyOff(connection);
  if (off !== undefined) return refuse('auto_call_disabled', off);

  if (lead.lead_id === undefined)
    return refuse('no_lead_id_in_payload', 'The payload has no lead id. This entry lists its keys.');

  if (notFetched) return refuse(notFetched.outcome, notFetched.reason);

  const wanted = connection.trigger_owner_user_id;
  if (wanted === undefined)
    return refuse('owner_mismatch', 'The connection has no trigger owner yet, so no lead can match it.');
  if (lead.owner_id !== wanted)
    return refuse(
      'owner_mismatch',
      lead.owner_id === undefined
        ? 'The lead has no owner.'
        : `The lead belongs to another owner${lead.owner_name === undefined ? '' : `: ${lead.owner_name}`}.`,
    );

  const phone = dialablePhone(lead, org.default_region);
  if (!phone)
    return refuse(
      'no_dialable_phone',
      lead.phones.length === 0 ? 'The lead has no phone number.' : 'No phone number of the lead can be dialed.',
    );
  const own = refuseOwnNumber(org, phone);
  if (own) return own;
  if (lead.do_not_call) return refuse('do_not_call', CRM_FLAG_REASON);
  if (onDoNotCallList) return refuse('do_not_call', 'The number is on the do-not-call list.');
  const destinationRefusal = whyNotAllowed(org, phone);
  if (destinationRefusal) return refuse('destination_not_allowed', destinationRefusal.message);
  return { leadId: lead.lead_id, phone };
}

/** Guards against a loop: the service must not call itself for a lead. @param phone E.164 */
export const refuseOwnNumber = (
  { platform_numbers }: Pick<Organization, 'platform_numbers'>,
  phone: string,
): LeadRefusal | undefined =>
  platform_numbers.includes(phone)
    ? refuse('own_platform_number', "The lead's phone is one of the organization's own numbers.")
    : undefined;

/** Refuses a call that costs up to `hold` units of credit. */
const outOfCredit = (hold: number, available: number): LeadRefusal =>
  refuse('insufficient_credits', lackOfCredit(hold, available).message);

const refuse = (outcome: RefusedOutcome, reason: string): LeadRefusal => ({ kind: 'refused', outcome, reason });
