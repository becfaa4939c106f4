import { claimFor } from '../../../shared/domain/calls/dialing/claim.ts';
import { type DayClaimKeys, dayClaimKeys } from '../../../shared/domain/calls/dialing/day-claims.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import { stores } from '../organizations/orgs.ts';
import { named, now } from '../stack/stack.ts';

const DAY_MS = 24 * 3_600_000;

/** The claims of a lead's call for today and for the day before. */
export type ClaimsOfCall = { eventId: string; today: DayClaimKeys; yesterday: DayClaimKeys };

/** Returns the keys of a lead's call for today and for the day before, whether or not they are claimed. */
export async function claimsOf(callId: string): Promise<ClaimsOfCall> {
  const call = await stores.calls.get(callId);
  if (!call?.lead) throw new Error(`no lead's call ${callId}`);
  const day = (at: Date) => dayClaimKeys(call, call.lead as NonNullable<typeof call.lead>, istDay(at));
  return { eventId: call.lead.event_id, today: day(now()), yesterday: day(new Date(now().getTime() - DAY_MS)) };
}

/** Moves a waiting call's claims to yesterday, so that the clock need not pass midnight. */
export async function moveToYesterday(callId: string): Promise<ClaimsOfCall> {
  const claims = await claimsOf(callId);
  const { eventId, today, yesterday } = claims;
  const owner = { ownerId: eventId, callId, now: now() };
  const { committed } = await stores.transact({
    call: {
      Update: {
        TableName: named.table('calls'),
        Key: { call_id: callId },
        UpdateExpression: 'SET claims_day = :day',
        ConditionExpression: 'attribute_not_exists(dial_claimed_at) AND claims_day = :today',
        ExpressionAttributeValues: {
          ':day': istDay(new Date(now().getTime() - DAY_MS)),
          ':today': istDay(now()),
        },
      },
    },
    lead: stores.claims.freeing(today.lead, eventId),
    phone: stores.claims.freeing(today.phone, eventId),
    formerLead: stores.claims.taking(claimFor(yesterday.lead, owner)),
    formerPhone: stores.claims.taking(claimFor(yesterday.phone, owner)),
  });
  if (!committed) throw new Error(`the claims of ${callId} are not as they were placed`);
  return claims;
}

/** Returns the owners of the claims by key, without the free ones. */
export const ownersOf = async (...keys: DayClaimKeys[]): Promise<Record<string, string>> =>
  Object.fromEntries(await stores.claims.owners(keys.flatMap(({ lead, phone }) => [lead, phone])));
