import type { Call } from '../../../domain/calls/call.ts';
import type { Tombstone } from '../../../domain/calls/erased-call.ts';
import { secondsAfter, secondsBetween } from '../../../domain/time/instants.ts';
import { istDay, startOfIstDay } from '../../../domain/time/ist-day.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { FileErasures } from '../../../stores/calls/file-erasures.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import type { Transact } from '../../../stores/dynamodb/transaction.ts';
import { activityOf, claimsOf, type FindThingsDeps } from './find-things.ts';

export type RemoveThingsDeps = Pick<FindThingsDeps, 'activity' | 'claims'> & {
  fileErasures: Pick<FileErasures, 'remove'>;
  callbacks: Pick<CallbackStore, 'listOfCall' | 'removing'>;
  activity: Pick<ActivityStore, 'forget'>;
  claims: Pick<ClaimStore, 'freeing' | 'shortening'>;
  transact: Transact;
  /** @param ms milliseconds. */
  sleep: (ms: number) => Promise<void>;
  now: () => Date;
};

/**
 * Removes what belongs to a call whose erasure has begun. First it waits for the workers that may have read the call
 * before: what they store now would stay.
 */
export async function removeThings(deps: RemoveThingsDeps, call: Call, { busy_until }: Tombstone): Promise<void> {
  const seconds = busy_until === undefined ? 0 : secondsBetween(deps.now(), busy_until);
  if (seconds > 0) await deps.sleep(seconds * 1000);
  await deps.fileErasures.remove(call);
  for (const callback of await deps.callbacks.listOfCall(call.call_id))
    await deps.transact({ callback: deps.callbacks.removing(callback) });
  for (const entry of await activityOf(deps, call)) await deps.activity.forget(entry);
  for (const { key, ownerId, day } of await claimsOf(deps, call)) {
    const end = endOfClaim(day, deps.now());
    const claim = end === undefined ? deps.claims.freeing(key, ownerId) : deps.claims.shortening(key, ownerId, end);
    await deps.transact({ claim });
  }
}

const DAY_SECONDS = 86_400;

/**
 * Returns when a claim on an IST day ends, in epoch seconds: that of today keeps the phone from ringing a second time.
 * @returns undefined where it can be freed.
 */
function endOfClaim(day: string | undefined, now: Date): number | undefined {
  if (day === undefined || day < istDay(now)) return undefined;
  return Math.floor(Date.parse(secondsAfter(startOfIstDay(day), DAY_SECONDS)) / 1000);
}
