import type { LeadEventKind } from '../connections/activity.ts';
import type { Connection } from '../connections/connection.ts';
import { secondsAfter } from '../time/instants.ts';
import type { Lead } from './lead.ts';

/**
 * The owner and the flag that a lead had when an event said that it must not be called (docs/leads.md, "Stopped
 * leads"). `read_at`: the time of this lead, ISO 8601.
 */
export type StoppedLead = { lead: Pick<Lead, 'owner_id' | 'do_not_call'>; read_at: string };

/** LeadSquared posts the creation of a lead and its first change of owner through two webhooks, in any order. */
const CREATION_SECONDS = 60;

/** Keys that begin like this belong to stopped leads. */
const PREFIX = 'stopped#';
export const STOPPED_LEADS = `${PREFIX}*`;

/**
 * Returns the key in the Claims table.
 * @param leadHash the keyed hash of the lead's id, so that an erasure need not remove the item
 */
export const stoppedLeadKey = (connectionId: string, leadHash: string): string =>
  `${PREFIX}${connectionId}#${leadHash}`;

/**
 * Returns the time of the lead in an event of CRM-A. A creation counts as a minute older than it was received, so that
 * the first change of owner is newer. A do-not-call flag counts from its receipt: other senders post every change
 * without `After`, so it need not be a creation.
 * @param receivedAt when the webhook received the event, ISO 8601
 */
export const receivedLeadTime = (
  crm: Connection['type'],
  event: LeadEventKind,
  receivedAt: string,
  { do_not_call }: Pick<Lead, 'do_not_call'>,
): string =>
  crm === 'crm-a' && event === 'new_lead' && !do_not_call
    ? secondsAfter(new Date(receivedAt), -CREATION_SECONDS)
    : receivedAt;

/**
 * Returns whether a stop is at least as new as a lead. At equal times it counts, because a phone that rings cannot be
 * taken back.
 * @param readAt the time of the lead, ISO 8601
 */
export const isStoppedSince = (readAt: string, stop: StoppedLead | undefined): stop is StoppedLead =>
  stop !== undefined && stop.read_at >= readAt;

/**
 * Returns the lead with the owner and the flag of a stop that is newer than its data, so that an event that is
 * delivered late or retried is decided by the CRM's newest data.
 * @param readAt the time of the lead, ISO 8601
 */
export function asLastKnown(lead: Lead, readAt: string, stop: StoppedLead | undefined): Lead {
  if (!isStoppedSince(readAt, stop)) return lead;
  const { owner_id: _, owner_name: __, ...rest } = lead;
  return { ...rest, ...stop.lead };
}
