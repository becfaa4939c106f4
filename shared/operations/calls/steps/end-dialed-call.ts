import type { Call } from '../../../domain/calls/call.ts';
import { currentEntries } from '../../../domain/calls/call-activity.ts';
import type { LeadEnd } from '../../../domain/calls/dialing/lead-end.ts';
import { endedByService } from '../../../domain/calls/ending.ts';
import type { ActivityStore } from '../../../stores/connections/activity.ts';
import { type EndCallDeps, endCall } from './end-call.ts';
import { isGivenUp, leadEndEntry } from './lead-end.ts';
import { type SupersedeEntriesDeps, supersedeEntries } from './supersede-entries.ts';

export type EndDialedCallDeps = EndCallDeps & SupersedeEntriesDeps & { activity: Pick<ActivityStore, 'adding'> };

/**
 * Ends a call as `failed` after its dial, without a report of the platform. The same transaction adds the end of a
 * lead's call to Activity. The call keeps its day claims: its phone may have rung, or the platform would refuse the
 * lead's next event, too (docs/leads.md, "Freed claims").
 * @param call as read. If it has changed since, nothing is written
 * @param leadEnd the outcome and the reason for Activity; absent if Activity already shows what happened
 * @returns false if the call has changed since
 */
export async function endDialedCall(
  deps: EndDialedCallDeps,
  call: Call,
  endedReason: string,
  leadEnd?: LeadEnd,
): Promise<boolean> {
  const now = deps.now();
  const entry = leadEnd && leadEndEntry(call, leadEnd, now);
  const { committed } = await endCall(
    deps,
    call,
    endedByService('failed', endedReason, now),
    entry && { activity: deps.activity.adding(entry) },
  );
  if (committed && entry) {
    if (isGivenUp(entry)) deps.count('LeadGivenUp');
    await supersedeEntries(deps, entry, currentEntries(call));
  }
  return committed;
}
