import type { Call } from '../../../domain/calls/call.ts';
import { decideAfterRefusal, type RefusalStep } from '../../../domain/calls/dial-decision.ts';
import { TransactionContention } from '../../../domain/contention.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { alreadyCalled, type DayClaimWrite, movingDayClaims } from './day-claims.ts';

export type ClaimDialDeps = {
  calls: Pick<CallStore, 'claim'>;
  claims: Pick<ClaimStore, 'taking' | 'freeing'>;
  transact: Transact;
  now: () => Date;
};

export type ReservedCall = Call & { reserved_at: string };
export const isReserved = (call: Call): call is ReservedCall => call.reserved_at !== undefined;

export type ClaimedCall = Call & { dial_claimed_at: string };

/**
 * Claims the dial of a call that holds its slots, in one transaction with the day claims of today.
 * @returns the call as the transaction left it; `contended` where others kept writing the same items.
 */
export async function claimDial(
  deps: ClaimDialDeps,
  call: ReservedCall,
): Promise<{ kind: 'claimed'; call: ClaimedCall } | { kind: 'refused'; step: RefusalStep } | { kind: 'contended' }> {
  const at = deps.now();
  const claim = { callId: call.call_id, claimedAt: at.toISOString() };
  const today = movingDayClaims(deps.claims, call, { at });
  const result = await deps
    .transact<'call' | DayClaimWrite>({
      call: deps.calls.claim(claim, call.reserved_at, today.day),
      ...today.writes,
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
  const { reserved_at: _, ...claimed } = call;
  return {
    kind: 'claimed',
    call: { ...claimed, status: 'dialing', dial_claimed_at: claim.claimedAt, attempts: call.attempts + 1 },
  };
}
