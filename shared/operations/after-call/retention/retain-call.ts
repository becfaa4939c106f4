import { callbackExpiry } from '../../../domain/after-call/callbacks/callback.ts';
import type { Call } from '../../../domain/calls/call.ts';
import {
  appliedExpiry,
  decideRetention,
  type RetentionDecision,
} from '../../../domain/calls/retention/applied-retention.ts';
import { namesFiles } from '../../../domain/calls/retention/kept-files.ts';
import { RETENTION_DAYS, type Retention } from '../../../domain/organizations/retention.ts';
import type { CallbackStore } from '../../../stores/after-call/callbacks.ts';
import type { CallRetention } from '../../../stores/calls/call-retention.ts';
import type { FileRetention } from '../../../stores/calls/files/file-retention.ts';

export type RetainCallDeps = {
  callRetention: CallRetention;
  fileRetention: FileRetention;
  callbacks: Pick<CallbackStore, 'listOfCall' | 'keepUntil'>;
  now: () => Date;
};

/** `changed` if the decision's `kind` was `change`, or if an interrupted run was completed. */
export type Retained = {
  kind: Exclude<RetentionDecision['kind'], 'change'> | 'changed';
  isEnding: boolean;
  files: number;
  notifications: number;
};

type FilesAndNotifications = Pick<Retained, 'files' | 'notifications'>;

/**
 * Applies a retention to a call and its data. If an earlier run was interrupted at this call, that run's retention is
 * completed first.
 * @param read from the index; the writes detect whether it has changed since
 */
export async function retainCall(
  deps: RetainCallDeps,
  read: Call,
  keep: Retention | undefined,
  isDryRun: boolean,
): Promise<Retained> {
  const wasInterrupted = read.keep_untagged !== undefined;
  const resumed = wasInterrupted
    ? await retainFilesAndNotifications(deps, read, isDryRun)
    : { files: 0, notifications: 0 };
  const { keep_untagged: _, ...call } = read;
  const decision = decideRetention(call, keep, deps.now());
  if (decision.kind !== 'change')
    return { kind: wasInterrupted ? 'changed' : decision.kind, isEnding: false, ...resumed };
  if (!isDryRun && !(await deps.callRetention.begin(call, decision)))
    return { kind: 'under_way', isEnding: false, ...resumed };
  const begun: Call = { ...call, keep: decision.keep, keep_untagged: decision.keep_untagged };
  const { files, notifications } = decision.keep_untagged
    ? await retainFilesAndNotifications(deps, begun, isDryRun)
    : resumed;
  return {
    kind: 'changed',
    isEnding: decision.isOver,
    files: Math.max(files, resumed.files),
    notifications: Math.max(notifications, resumed.notifications),
  };
}

/**
 * Applies the retention to a call's files and notifications, then to the call itself, which also removes its mark
 * `keep_untagged`. After a crash, a later run continues with the calls that still have the mark.
 */
async function retainFilesAndNotifications(
  { callRetention, fileRetention, callbacks, now }: RetainCallDeps,
  call: Call,
  isDryRun: boolean,
): Promise<FilesAndNotifications> {
  const things = { files: 0, notifications: 0 };
  for (const kind of call.keep_untagged ?? []) {
    const versions = await fileRetention.versionsOf(call, kind);
    // The call no longer names a file whose retention has passed: a longer retention must not keep it in the bucket.
    const days = namesFiles(call, kind) ? call.keep?.[kind] : Math.min(...RETENTION_DAYS);
    if (!isDryRun) for (const version of versions) await fileRetention.keep(version, days);
    things.files += new Set(versions.map(({ Key }) => Key)).size;
  }
  for (const callback of call.callback_url ? await callbacks.listOfCall(call.call_id) : []) {
    const expiry = callbackExpiry(callback.created_at, call);
    if (expiry === callback.expires_at) continue;
    if (!isDryRun) await callbacks.keepUntil(callback, expiry);
    things.notifications += 1;
  }
  if (!isDryRun) await callRetention.end(call, appliedExpiry(call, now()));
  return things;
}
