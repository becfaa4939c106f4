import type { Lead } from './lead.ts';

/**
 * The owner and the flag that a lead had when an event said that it must not be called (docs/leads.md, "Stopped
 * leads").
 */
export type StoppedLead = {
  lead: Pick<Lead, 'owner_id' | 'do_not_call'>;
  /** When CRM-A sent the event, or when the lead was read from CRM-B. ISO 8601. */
  read_at: string;
};

/** Keys that begin like this belong to stopped leads. */
const PREFIX = 'stopped#';
export const STOPPED_LEADS = `${PREFIX}*`;

/** The key in the Claims table. @param leadHash the keyed hash of the lead's id, so that an erasure can leave it. */
export const stoppedLeadKey = (connectionId: string, leadHash: string): string =>
  `${PREFIX}${connectionId}#${leadHash}`;

/** At equal times the stop counts, because a phone that rings cannot be taken back. @param readAt ISO 8601 */
export const isStoppedSince = (readAt: string, stop: StoppedLead | undefined): stop is StoppedLead =>
  stop !== undefined && stop.read_at >= readAt;

/**
 * Returns the lead with the owner and the flag of a stop that is newer than its data, so that an event that is
 * delivered late or retried is decided by what the CRM said last.
 * @param readAt the time of the lead's data, ISO 8601
 */
export function asLastKnown(lead: Lead, readAt: string, stop: StoppedLead | undefined): Lead {
  if (!isStoppedSince(readAt, stop)) return lead;
  const { owner_id: _, owner_name: __, ...rest } = lead;
  return { ...rest, ...stop.lead };
}
