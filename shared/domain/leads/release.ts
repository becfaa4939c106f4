import { currentEntries } from '../calls/call-activity.ts';
import type { ScheduledCall } from '../calls/dialing/scheduled-call.ts';
import { hasWaitedLong, waitEntryId } from './long-wait.ts';

/** Names a release by the UTC minute for which the call is scheduled, such as `202611210330`. */
export const releaseMinute = (scheduledFor: string): string => scheduledFor.slice(0, 16).replace(/[-:T]/g, '');

/** Returns the suffix that turns the original event's id into the release's id. */
export const releaseSuffix = (scheduledFor: string): string => `release.${releaseMinute(scheduledFor)}`;

/** Returns the ids of the entries that the entry of a release supersedes. @param call as it was before its release */
export const entriesBeforeRelease = (call: ScheduledCall, now: Date): string[] => [
  ...currentEntries(call),
  ...(hasWaitedLong(call.scheduled_for, now)
    ? [waitEntryId(`${call.lead.event_id}.${releaseSuffix(call.scheduled_for)}`)]
    : []),
];
