import { type Call, leadFitsAt, leadReadAt } from '../calls/call.ts';
import type { LeadEventKind } from '../connections/activity.ts';
import type { Connection } from '../connections/connection.ts';
import type { Lead } from './lead.ts';

/**
 * The owner and the flag that a lead had when an event said that it must not be called (docs/leads.md, "Stopped
 * leads").
 */
export type StoppedLead = LeadTime & { lead: Pick<Lead, 'owner_id' | 'do_not_call'> };

/** The time of a lead's data. */
export type LeadTime = {
  /** When CRM-A sent the lead, or when it was read from CRM-B. ISO 8601. */
  read_at: string;
  /** Whether it is the lead as CRM-A created it. */
  is_creation?: boolean | undefined;
};

/**
 * LeadSquared posts the creation of a lead and its first change of owner through two webhooks, in any order. Beside a
 * change, a creation counts as this much older.
 */
const CREATION_MS = 60_000;

/** Keys that begin like this belong to stopped leads. */
const PREFIX = 'stopped#';
export const STOPPED_LEADS = `${PREFIX}*`;

/** The key in the Claims table. @param leadHash the keyed hash of the lead's id, so that an erasure can leave it. */
export const stoppedLeadKey = (connectionId: string, leadHash: string): string =>
  `${PREFIX}${connectionId}#${leadHash}`;

/** Returns whether CRM-A sent the lead when it created it. The lead of CRM-B is read, whatever its event. */
export const isCreation = (crm: Connection['type'], event: LeadEventKind): boolean =>
  crm === 'crm-a' && event === 'new_lead';

/** Returns the time of a call's lead: of its own data, or of a newer event that fits, too. */
export function leadTimeOf(call: Pick<Call, 'created_at'> & { lead: NonNullable<Call['lead']> }): LeadTime {
  const read_at = leadFitsAt(call);
  return { read_at, is_creation: read_at === leadReadAt(call) && isCreation(call.lead.crm, call.lead.event) };
}

/**
 * Returns whether a stop is not older than a lead. At equal times it counts, because a phone that rings cannot be taken
 * back.
 */
export function isStoppedSince(known: LeadTime, stop: StoppedLead | undefined): stop is StoppedLead {
  if (!stop) return false;
  const isOlderBy = (isOlder: boolean | undefined) => (isOlder ? CREATION_MS : 0);
  // The flag of a creation counts at once: other senders post every change without `After`.
  const stoppedMs =
    Date.parse(stop.read_at) - isOlderBy(stop.is_creation && !known.is_creation && !stop.lead.do_not_call);
  return stoppedMs >= Date.parse(known.read_at) - isOlderBy(known.is_creation && !stop.is_creation);
}

/**
 * Returns the lead with the owner and the flag of a stop that is newer than its data, so that an event that is
 * delivered late or retried is decided by what the CRM said last.
 */
export function asLastKnown(lead: Lead, known: LeadTime, stop: StoppedLead | undefined): Lead {
  if (!isStoppedSince(known, stop)) return lead;
  const { owner_id: _, owner_name: __, ...rest } = lead;
  return { ...rest, ...stop.lead };
}
