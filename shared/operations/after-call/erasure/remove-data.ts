import type { Call } from '../../../domain/calls/call.ts';
import type { Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { FileErasures } from '../../../stores/calls/files/file-erasures.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { type ErasedClaimsDeps, hidePhoneClaim } from '../../calls/dialing/erased-claims.ts';
import { activityOf, type CountDataDeps, claimsOf } from './count-data.ts';

export type RemoveDataDeps = Pick<CountDataDeps, 'activity' | 'claims'> &
  ErasedClaimsDeps & {
    fileErasures: Pick<FileErasures, 'remove'>;
    callbacks: Pick<CallbackStore, 'listOfCall' | 'removing'>;
    activity: Pick<ActivityStore, 'forget'>;
    claims: Pick<ClaimStore, 'freeing' | 'replacingByHash'>;
    transact: Transact;
    /** @param ms milliseconds. */
    sleep: (ms: number) => Promise<void>;
    now: () => Date;
  };

/**
 * Removes the data of a call whose erasure has begun. First waits for workers that may have read the call earlier,
 * because data that they stored after the removal would stay.
 */
export async function removeData(deps: RemoveDataDeps, call: Call, { busy_until }: Tombstone): Promise<void> {
  const seconds = busy_until === undefined ? 0 : secondsBetween(deps.now(), busy_until);
  if (seconds > 0) await deps.sleep(seconds * 1000);
  await removeStored(deps, call);
  for (const entry of await activityOf(deps, call)) await deps.activity.forget(entry);
  for (const { key, ownerId, day } of await claimsOf(deps, call))
    if (day === undefined || day < istDay(deps.now()))
      await deps.transact({ claim: deps.claims.freeing(key, ownerId) });
    else await hidePhoneClaim(deps, call);
}

/** Removes the data that is found by the call's id alone: its files and its notifications. A repeat is a no-op. */
export async function removeStored(
  { fileErasures, callbacks, transact }: Pick<RemoveDataDeps, 'fileErasures' | 'callbacks' | 'transact'>,
  call: Pick<Call, 'org_id' | 'call_id'>,
): Promise<void> {
  await fileErasures.remove(call);
  for (const callback of await callbacks.listOfCall(call.call_id))
    await transact({ callback: callbacks.removing(callback) });
}
