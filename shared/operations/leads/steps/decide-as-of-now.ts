import { leadEventKinds, type Outcome } from '../../../domain/connections/activity.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import { phoneHash } from '../../../domain/connections/phone-hash.ts';
import type { Lead } from '../../../domain/leads/lead.ts';
import { CRM_FLAG_REASON, type LeadDecision } from '../../../domain/leads/lead-decision.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import { leadEvent } from '../../../messages/lead-event.ts';
import type { CallBrief } from '../../../stores/calls/call-briefs.ts';
import type { ActivityStore, ShownEntry } from '../../../stores/connections/activity.ts';
import { hasUsableAccess } from '../../connections/access/read-only-access.ts';
import { type DecideEventDeps, decideEvent } from './decide-event.ts';
import { type FetchLeadDeps, fetchLead } from './fetch-lead.ts';

export type DecideAsOfNowDeps = DecideEventDeps &
  Pick<FetchLeadDeps, 'fetchLead' | 'warn' | 'now'> & { activity: Pick<ActivityStore, 'get'> };

export type AsOfNow = {
  outcome: Outcome | null;
  /** The reason for a missing outcome. */
  unknown: 'phone' | 'access' | null;
  reason: string | null;
  opensAt: string | null;
};

const unknown = (what: 'phone' | 'access'): AsOfNow => ({ outcome: null, unknown: what, reason: null, opensAt: null });

/** An id that owns no claim. */
const NEW_EVENT = 'evt_now';

/** Refuses every change of a breaker: only workers probe a CRM, so an open breaker stays open here. */
const untouched = { replace: async () => false };

/**
 * Decides a hypothetical new event of a lead as of now, by the same steps that decide real events, and writes nothing
 * (docs/leads.md, "Why was a lead not called?").
 * @param entry the lead's last entry @param known.phone E.164 @param known.call the entry's call
 */
export async function decideAsOfNow(
  deps: DecideAsOfNowDeps,
  entry: ShownEntry,
  connection: Connection,
  org: Organization,
  known: { phone: string | undefined; call: CallBrief | undefined },
): Promise<AsOfNow> {
  const now = deps.now();
  const isFetched = connection.type === 'crm-b' && !entry.test && entry.lead_id !== undefined;
  if (isFetched && connection.auto_call && isWithoutToken(connection, now)) return unknown('access');
  const lead = await leadAsKnown(deps, entry, isFetched ? undefined : phoneOf(entry, org, known));
  const event = {
    event_id: NEW_EVENT,
    connection_id: connection.connection_id,
    source: 'webhook' as const,
    // A newer version may have stored an unknown kind.
    event: leadEventKinds.find((one) => one === entry.event) ?? ('other' as const),
    test: entry.test,
    at: now.toISOString(),
    lead,
    payload_keys: [],
  };
  // Another event would be about another change, so a cancelation since the lead's last change would not count.
  const { changedAt: _, ...fetched } = await fetchLead({ ...deps, breakers: untouched }, event, connection);
  const { decision } = await decideEvent(deps, event, fetched, { connection, org, now });
  const isPhoneMissing = !isFetched && lead.phones.length === 0 && entry.phone_masked !== undefined;
  if (decision.kind === 'refused' && decision.outcome === 'no_dialable_phone' && isPhoneMissing)
    return entry.phone_hash === undefined ? outcomeOf(decision) : unknown('phone');
  return outcomeOf(decision);
}

/** A missing consent decides the outcome; an expired token does not, because it is renewed soon. */
const isWithoutToken = (connection: Connection, now: Date): boolean =>
  connection.grant !== undefined && connection.reconnect_needed === undefined && !hasUsableAccess(connection, now);

/** Returns the entry's number if it is known; Activity itself shows it masked. */
const phoneOf = (
  { phone_hash }: ShownEntry,
  { org_id }: Organization,
  { phone, call }: { phone: string | undefined; call: CallBrief | undefined },
): string | undefined =>
  [phone, call?.phone_number].find((one) => one !== undefined && phoneHash(org_id, one) === phone_hash);

/** Rebuilds the lead of the last event. A lead of CRM-B needs only its id. */
async function leadAsKnown(
  { activity }: Pick<DecideAsOfNowDeps, 'activity'>,
  entry: ShownEntry,
  phone: string | undefined,
): Promise<Lead> {
  const { lead_id, owner_id, outcome, reason } = entry;
  const lead = {
    ...(lead_id !== undefined && { lead_id }),
    ...(owner_id !== undefined && { owner_id }),
    phones: phone === undefined ? [] : [phone],
    do_not_call: outcome === 'do_not_call' && reason === CRM_FLAG_REASON,
    fields: {},
  };
  if (phone !== undefined || entry.phone_hash === undefined) return lead;
  // A retryable event is stored with its numbers.
  const stored = (await activity.get(entry.connection_id, entry.event_id))?.retryable;
  const { data } = leadEvent.safeParse(stored === undefined ? undefined : JSON.parse(stored));
  return { ...lead, phones: data?.lead.phones ?? [] };
}

function outcomeOf(decision: LeadDecision): AsOfNow {
  switch (decision.kind) {
    case 'refused':
      return { outcome: decision.outcome, unknown: null, reason: decision.reason, opensAt: null };
    case 'scheduled': {
      const opensAt = decision.opening.from.toISOString();
      return { outcome: 'call scheduled', unknown: null, reason: null, opensAt };
    }
    default:
      return { outcome: 'call queued', unknown: null, reason: null, opensAt: null };
  }
}
