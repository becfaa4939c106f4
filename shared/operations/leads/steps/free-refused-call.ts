import { isRefusedByPlatform } from '../../../domain/calls/ending.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { freeingDayClaims } from '../../calls/dialing/move-day-claims.ts';

export type FreeRefusedCallDeps = {
  calls: Pick<CallStore, 'get'>;
  claims: Pick<ClaimStore, 'freeing'>;
  transact: Transact;
};

/**
 * Frees the day claims of a call that the platform refused, so that its retry may take them. Claims of other events
 * stay, as do those of a call with another end (docs/leads.md, "Freed claims").
 */
export async function freeRefusedCall({ calls, claims, transact }: FreeRefusedCallDeps, callId: string): Promise<void> {
  const call = await calls.get(callId);
  if (!call || !isRefusedByPlatform(call)) return;
  await freeingDayClaims(claims, call, async (writes) =>
    Object.keys(writes).length > 0 ? transact(writes) : { committed: true },
  );
}
