import type { Call } from '../../../domain/calls/call.ts';
import { canceledAtOf } from '../../../domain/calls/dialing/cancel-claim.ts';
import { phoneClaimKey } from '../../../domain/calls/dialing/day-claims.ts';
import {
  busyUntil,
  platformIdsOf,
  remoteRecordsOf,
  type Tombstone,
  unconfirmedOf,
} from '../../../domain/calls/retention/erased-call.ts';
import { isErasedEntry } from '../../../domain/connections/activity.ts';
import { connectionIdFor } from '../../../domain/ids.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { FileErasures } from '../../../stores/calls/files/file-erasures.ts';
import type { ActivityStore, StoredEntry } from '../../../stores/connections/activity.ts';
import { contactClaimKey } from '../tickets/ticket-claims.ts';

export type CountDataDeps = {
  fileErasures: Pick<FileErasures, 'count'>;
  callbacks: Pick<CallbackStore, 'listOfCall'>;
  activity: Pick<ActivityStore, 'triesOf'>;
  claims: Pick<ClaimStore, 'owners'>;
  now: () => Date;
};

/** Counts a call's data before its erasure begins. */
export async function countData(deps: CountDataDeps, call: Call): Promise<Tombstone> {
  const [files, callbacks, activity, claims] = await Promise.all([
    deps.fileErasures.count(call),
    deps.callbacks.listOfCall(call.call_id),
    activityOf(deps, call),
    claimsOf(deps, call),
  ]);
  const now = deps.now();
  const platformIds = platformIdsOf(call);
  return {
    call_id: call.call_id,
    erased_of: call.org_id,
    erased_at: now.toISOString(),
    found: {
      files,
      callbacks: callbacks.length,
      activity: activity.length,
      claims: claims.length,
      platform_calls: platformIds.length,
      remote_records: remoteRecordsOf(call),
      unconfirmed: unconfirmedOf(call),
    },
    busy_until: busyUntil(call.unfinished !== undefined, now),
    platform_ids: platformIds.length > 0 ? platformIds : undefined,
    canceled_at: canceledAtOf(call),
  };
}

/** Finds the Activity entries that still name a call's lead: those of the call's event, and of the event's retries. */
export async function activityOf(deps: Pick<CountDataDeps, 'activity'>, { lead }: Call): Promise<StoredEntry[]> {
  if (!lead) return [];
  const { connection_id, event_id: eventId } = lead;
  const entries = await deps.activity.triesOf(connection_id, eventId);
  const isOwn = ({ event_id }: StoredEntry) => event_id === eventId || event_id.startsWith(`${eventId}.`);
  return entries.filter((entry) => isOwn(entry) && !isErasedEntry(entry));
}

/** `day`: the IST day on which it prevents a second ring. */
export type HeldClaim = { key: string; ownerId: string; day?: string };

/**
 * Finds a call's claims whose keys contain the phone number. Claims on the lead contain only its id in the CRM, and
 * stay until they expire, so that a retried event of the lead does not call it again.
 */
export async function claimsOf(deps: Pick<CountDataDeps, 'claims'>, call: Call): Promise<HeldClaim[]> {
  const { org_id, call_id, phone_number, lead, claims_day } = call;
  const contact = { key: contactClaimKey(connectionIdFor(org_id, 'help-desk'), phone_number), ownerId: call_id };
  const wanted: HeldClaim[] = [
    contact,
    ...(lead && claims_day
      ? [{ key: phoneClaimKey(org_id, phone_number, claims_day), ownerId: lead.event_id, day: claims_day }]
      : []),
  ];
  const owners = await deps.claims.owners(wanted.map(({ key }) => key));
  return wanted.filter(({ key, ownerId }) => owners.get(key) === ownerId);
}
