import type { Callback } from '../../../domain/after-call/callbacks/callback.ts';
import type { Call } from '../../../domain/calls/call.ts';
import { withKeptFiles } from '../../../domain/calls/retention/kept-files.ts';
import { viewKey } from '../../../domain/organizations/requester.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import type { ShownEntry } from '../../../stores/connections/activity.ts';
import type { DoNotCallEntry, DoNotCallStore } from '../../../stores/organizations/do-not-call.ts';
import { activityOfPerson, callsOfPerson, type FindPersonDeps, type Person } from './find-person.ts';

export type ExportPersonDeps = FindPersonDeps & {
  callbacks: Pick<CallbackStore, 'listOfCall'>;
  doNotCall: Pick<DoNotCallStore, 'getMany'>;
  files: Pick<CallFiles, 'getTranscript'>;
  now: () => Date;
};

/**
 * A stored call with its transcript and its client's notifications, without the addresses of the client's server, which
 * are not the person's data.
 */
type ExportedCall = Call & { transcript: string | null; callbacks: Pick<Callback, 'type' | 'created_at' | 'body'>[] };

export type ExportedPerson = Person & {
  calls: ExportedCall[];
  activity: ShownEntry[];
  do_not_call: DoNotCallEntry | null;
};

/** Reads all data of a person, except recordings. Read-only. */
export async function exportPerson(deps: ExportPersonDeps, of: Person): Promise<ExportedPerson> {
  const found = await callsOfPerson(deps, of);
  const calls: ExportedCall[] = [];
  for (const { call: stored, tombstone } of found) {
    // Its erasure has begun, so its files may be gone.
    if (!stored || tombstone) continue;
    const call = withKeptFiles(stored, deps.now());
    const [transcript, callbacks] = await Promise.all([
      call.transcript_key === undefined ? undefined : deps.files.getTranscript(call.transcript_key),
      deps.callbacks.listOfCall(call.call_id),
    ]);
    const { placed_by: by } = call;
    calls.push({
      ...call,
      ...(by?.kind === 'key' && { placed_by: { kind: by.kind, ...viewKey(by) } }),
      transcript: transcript ?? null,
      callbacks: callbacks.map(({ type, created_at, body }) => ({ type, created_at, body })),
    });
  }
  const [listed] = await deps.doNotCall.getMany(of.org_id, [of.phone]);
  return { ...of, calls, activity: await activityOfPerson(deps, of, found), do_not_call: listed ?? null };
}
