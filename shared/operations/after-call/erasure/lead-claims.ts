import { cancelClaimKey } from '../../../domain/calls/dialing/cancel-claim.ts';
import { CLAIM_DAYS, type Claim } from '../../../domain/calls/dialing/claim.ts';
import { hiddenClaimFor, leadClaimKey, QUEUED_DAYS } from '../../../domain/calls/dialing/day-claims.ts';
import {
  hiddenSundayClaimFor,
  isSundayClaimEnded,
  sundayClaimKey,
} from '../../../domain/calls/dialing/sunday-claim.ts';
import { canonicalE164 } from '../../../domain/text/national-number.ts';
import { istDays } from '../../../domain/time/ist-day.ts';
import type { CallErasures } from '../../../stores/calls/call-erasures.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import type { ErasedClaimsDeps } from '../../calls/dialing/erased-claims.ts';
import type { Lead, Person } from './find-person.ts';

export type FreeLeadClaimsDeps = ErasedClaimsDeps & {
  claims: Pick<ClaimStore, 'held' | 'freeing' | 'replacingByHash'>;
  erasures: Pick<CallErasures, 'getToShow'>;
  transact: Transact;
  now: () => Date;
};

/** Some days more than claims are stored, because DynamoDB removes expired items late. */
const DAYS = CLAIM_DAYS + 5;

/**
 * Returns the keys of a lead's claims: the day claims of the last `DAYS` days, the sweep's claim, and the claim of a
 * cancelation. Day claims of later days are not included.
 */
export function leadClaimKeys(
  { connection_id, lead_id }: Lead,
  now: Date,
): { sunday: string; canceled: string; days: Map<string, string> } {
  return {
    sunday: sundayClaimKey(connection_id, lead_id),
    canceled: cancelClaimKey(connection_id, lead_id),
    days: new Map(
      istDays(new Date(0), now, DAYS).map((day) => [leadClaimKey(connection_id, lead_id, day), day] as const),
    ),
  };
}

/**
 * Frees the claims on a person's lead that no longer count, whichever of the person's calls took them. A keyed hash
 * replaces claims that still count: those of the last days and of a canceled call, so that no queued event calls the
 * lead again, and the sweep's within its interval.
 * @returns the number of claims left as they are because calls to other numbers hold them
 */
export async function freeLeadClaims(deps: FreeLeadClaimsDeps, of: Person, lead: Lead): Promise<number> {
  const now = deps.now();
  const { sunday, canceled, days } = leadClaimKeys(lead, now);
  let kept = 0;
  for (const claim of (await deps.claims.held([sunday, canceled, ...days.keys()])).values()) {
    if (await isOfAnotherNumber(deps, of, claim)) {
      kept += 1;
      continue;
    }
    const erased = { ...lead, lead_id: await deps.doNotCall.hashOf(of.org_id, lead.lead_id) };
    const hidden =
      claim.claim === canceled
        ? { ...claim, claim: cancelClaimKey(erased.connection_id, erased.lead_id) }
        : hiddenOf(claim, erased, days.get(claim.claim), now);
    if (hidden) await deps.transact(deps.claims.replacingByHash(claim.claim, hidden));
    else await deps.transact({ claim: deps.claims.freeing(claim.claim, claim.owner_id) });
  }
  return kept;
}

/**
 * Builds the claim that replaces a day claim in an erasure or, without a day, the sweep's claim.
 * @param lead with the hash in place of its id
 * @returns undefined if the claim no longer counts
 */
function hiddenOf(
  claim: Claim,
  { connection_id, lead_id }: Lead,
  day: string | undefined,
  now: Date,
): Claim | undefined {
  if (day === undefined)
    return isSundayClaimEnded(claim, now)
      ? undefined
      : hiddenSundayClaimFor(sundayClaimKey(connection_id, lead_id), claim);
  const earliest = istDays(new Date(0), now, QUEUED_DAYS + 1).at(-1) as string;
  const owner = { ownerId: claim.owner_id, callId: claim.call_id, now };
  return day < earliest
    ? undefined
    : hiddenClaimFor(leadClaimKey(connection_id, lead_id, day), day, owner, QUEUED_DAYS);
}

/** Returns whether a claim serves a call to another number of the lead, which is not erased and keeps its claims. */
async function isOfAnotherNumber(deps: FreeLeadClaimsDeps, { phone }: Person, { call_id }: Claim): Promise<boolean> {
  const { call, tombstone } = (await deps.erasures.getToShow(call_id)) ?? {};
  return call !== undefined && !tombstone && canonicalE164(call.phone_number) !== phone;
}
