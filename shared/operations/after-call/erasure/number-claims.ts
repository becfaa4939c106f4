import { hiddenClaimFor, phoneClaimKey } from '../../../domain/calls/dialing/day-claims.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { Person } from './find-person.ts';
import type { FreeLeadClaimsDeps } from './lead-claims.ts';
import { claimsOfPerson } from './person-claims.ts';

/**
 * Removes the claims on a number whose calls are erased or no longer exist, such as claims that a restore of the table
 * has brought back. A keyed hash replaces today's claim. Claims of stored calls stay.
 */
export async function freeNumberClaims(deps: FreeLeadClaimsDeps, of: Person): Promise<void> {
  const { org_id, phone } = of;
  const today = istDay(deps.now());
  for (const claim of await claimsOfPerson(deps, of, [], [])) {
    const { call, tombstone } = (await deps.erasures.getToShow(claim.call_id)) ?? {};
    if (call && !tombstone) continue;
    if (claim.claim !== phoneClaimKey(org_id, phone, today)) {
      await deps.transact({ claim: deps.claims.freeing(claim.claim, claim.owner_id) });
      continue;
    }
    const hidden = phoneClaimKey(org_id, await deps.doNotCall.hashOf(org_id, phone), today);
    const taken = { ownerId: claim.owner_id, callId: claim.call_id, now: deps.now() };
    await deps.transact(deps.claims.replacingByHash(claim.claim, hiddenClaimFor(hidden, today, taken)));
  }
}
