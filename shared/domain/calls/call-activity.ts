import { type ActivityEntry, activityExpiry } from '../connections/activity.ts';
import { phoneHash } from '../connections/phone-hash.ts';
import { maskPhone } from '../text/phone-number.ts';
import type { Call } from './call.ts';

type LeadCall = Pick<Call, 'call_id' | 'org_id' | 'phone_number' | 'keep'> & { lead: NonNullable<Call['lead']> };

/** Returns the suffix of the entry that reports that a call met a daily spend limit. @param day IST */
export const spendSuffix = (day: string): string => `spend.${day}`;

/** Returns the id of the entry that shows the state of a lead's call: its event's, or that of its last release. */
export const currentEntry = ({ request_id, lead }: Pick<Call, 'request_id' | 'lead'>): string =>
  lead?.entry_id ?? request_id;

/** Lists the id of the entry about the last spend limit that a lead's call met; empty if it met none. */
export const spendEntries = ({ lead, spend_told_on }: Pick<Call, 'lead' | 'spend_told_on'>): string[] =>
  lead && spend_told_on !== undefined ? [`${lead.event_id}.${spendSuffix(spend_told_on)}`] : [];

/** Returns the ids of the entries that the next entry about a lead's call supersedes. */
export const currentEntries = (call: Pick<Call, 'request_id' | 'lead' | 'spend_told_on'>): string[] => [
  currentEntry(call),
  ...spendEntries(call),
];

/**
 * Builds the Activity entry for an occurrence in the life of a lead's call after the decision.
 * @param occurrence.suffix identifies the occurrence, so that a retry writes the same entry
 */
export function callActivity(
  { call_id, org_id, phone_number, lead, keep }: LeadCall,
  occurrence: Pick<ActivityEntry, 'source' | 'outcome' | 'reason'> &
    Partial<Pick<ActivityEntry, 'scheduled_for' | 'followed_at'>> & { suffix: string },
  now: Date,
): ActivityEntry {
  const { suffix, ...rest } = occurrence;
  const at = now.toISOString();
  return {
    connection_id: lead.connection_id,
    event_id: `${lead.event_id}.${suffix}`,
    org_id,
    at,
    event: lead.event,
    test: lead.test,
    lead_id: lead.lead_id,
    phone_masked: maskPhone(phone_number),
    phone_hash: phoneHash(org_id, phone_number),
    ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
    call_id,
    payload_keys: [],
    ...rest,
    expires_at: activityExpiry(at, keep?.activity),
  };
}
