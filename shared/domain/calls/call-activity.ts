import { type ActivityEntry, activityExpiry } from '../connections/activity.ts';
import { phoneHash } from '../connections/phone-hash.ts';
import { maskPhone } from '../text/phone-number.ts';
import type { Call } from './call.ts';

type LeadCall = Pick<Call, 'call_id' | 'org_id' | 'phone_number' | 'keep'> & { lead: NonNullable<Call['lead']> };

/**
 * Builds the Activity entry for an occurrence in the life of a lead's call after the decision.
 * @param occurrence.suffix identifies the occurrence, so that a retry writes the same entry
 */
export function callActivity(
  { call_id, org_id, phone_number, lead, keep }: LeadCall,
  occurrence: Pick<ActivityEntry, 'source' | 'outcome' | 'reason'> &
    Partial<Pick<ActivityEntry, 'scheduled_for'>> & { suffix: string },
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
