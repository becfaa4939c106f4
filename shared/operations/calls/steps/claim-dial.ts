import type { Call } from '../../../domain/calls/call.ts';
import { decideAfterRefusal, type RefusalStep } from '../../../domain/calls/dial-decision.ts';
import { TransactionContention } from '../../../domain/contention.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import { orgScope, type SlotStore, STAGE_SCOPE } from '../../../stores/calls/slots.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { alreadyCalled, type DayClaimWrite, movingDayClaims } from './day-claims.ts';

export type ClaimDialDeps = {
  calls: Pick<CallStore, 'claim'>;
  claims: Pick<ClaimStore, 'taking' | 'freeing'>;
  slots: Pick<SlotStore, 'taking'>;
  transact: Transact;
  /** Live calls that the platform account allows at once. */
  stageSlots: number;
  now: () => Date;
};

export type ClaimedCall = Call & { dial_claimed_at: string };

/**
 * Claims the dial of a call in one transaction with its slots and the day claims of today.
 * @returns the call as the transaction left it; `contended` where others kept writing the slot counters.
 */
export async function claimDial(
  deps: ClaimDialDeps,
  call: Call,
  org: Organization,
): Promise<{ kind: 'claimed'; call: ClaimedCall } | { kind: 'refused'; step: RefusalStep } | { kind: 'contended' }> {
  const at = deps.now();
  const claim = { callId: call.call_id, claimedAt: at.toISOString() };
  const slots = [STAGE_SCOPE, orgScope(org.org_id)];
  const today = movingDayClaims(deps.claims, call, { at });
  const result = await deps
    .transact<'call' | 'stage' | 'org' | DayClaimWrite>({
      call: deps.calls.claim(claim, slots, today.day),
      ...today.writes,
      stage: deps.slots.taking(STAGE_SCOPE, deps.stageSlots),
      org: deps.slots.taking(orgScope(org.org_id), org.max_live_calls),
    })
    .catch((error: unknown) => {
      if (error instanceof TransactionContention) return undefined;
      throw error;
    });
  if (!result) return { kind: 'contended' };
  if (!result.committed) {
    const { refused } = result;
    return { kind: 'refused', step: decideAfterRefusal({ call: !!refused.call, taken: alreadyCalled(refused) }) };
  }
  return {
    kind: 'claimed',
    call: { ...call, status: 'dialing', dial_claimed_at: claim.claimedAt, slots, attempts: call.attempts + 1 },
  };
}
