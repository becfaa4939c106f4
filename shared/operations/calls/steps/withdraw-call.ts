import type { Call } from '../../../domain/calls/call.ts';
import { endedByService } from '../../../domain/calls/ending.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Write } from '../../../stores/dynamodb/transaction.ts';
import { freeingDayClaims } from './day-claims.ts';
import { type EndCallDeps, endCall } from './end-call.ts';

export type WithdrawCallDeps = EndCallDeps & { claims: Pick<ClaimStore, 'freeing'> };

/**
 * Ends a call that rang no phone, and frees its day claims, so that the next event may call the lead
 * (docs/leads.md, "Claims").
 * @param call as it was read. Where it has changed since, nothing is written.
 * @param together further writes of the transaction.
 * @returns false where the call has changed since.
 */
export async function withdrawCall(
  deps: WithdrawCallDeps,
  call: Call,
  status: 'failed' | 'canceled',
  reason: string,
  together: Record<string, Write> = {},
): Promise<boolean> {
  const ending = endedByService(status, reason, deps.now());
  return freeingDayClaims(deps.claims, call, (claims) => endCall(deps, call, ending, { ...claims, ...together }));
}
