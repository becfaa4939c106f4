import { callActivity } from '../../../domain/calls/call-activity.ts';
import type { ScheduledCall } from '../../../domain/calls/dialing/scheduled-call.ts';
import { leadWait } from '../../../domain/calls/placing/new-call.ts';
import type { LeadDecision } from '../../../domain/leads/lead-decision.ts';
import { entriesBeforeRelease, releaseSuffix } from '../../../domain/leads/release.ts';
import { rateFor } from '../../../domain/organizations/destination-rule.ts';
import type { Organization } from '../../../domain/organizations/organization.ts';
import type { CallWindow } from '../../../domain/time/call-window.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import {
  alreadyCalled,
  type DayClaimWrite,
  movingDayClaims,
  takingDayClaims,
} from '../../calls/dialing/move-day-claims.ts';
import { supersedeEntries } from '../../calls/steps/supersede-entries.ts';
import { type CancelUnreleasedAsCalledDeps, cancelUnreleasedAsCalled } from './cancel-unreleased-call.ts';
import type { FetchedLead } from './fetch-lead.ts';

export type QueueScheduledCallDeps = CancelUnreleasedAsCalledDeps & {
  calls: Pick<CallStore, 'releasing' | 'ending'>;
  claims: Pick<ClaimStore, 'taking' | 'freeing'>;
};

/** A scheduled call whose window opens. */
type DueCall = {
  call: ScheduledCall;
  org: Organization;
  window: CallWindow | undefined;
  fetched: Pick<FetchedLead, 'lead' | 'readAt'>;
  now: Date;
};

/**
 * Queues a scheduled call on the current terms of organization, assistant and lead. Cancels it if another event was
 * faster.
 * @returns the outcome, for the log
 */
export async function queueScheduledCall(
  deps: QueueScheduledCallDeps,
  { call, org, window, fetched, now }: DueCall,
  { phone, assistant, opening }: Extract<LeadDecision, { kind: 'call' }>,
): Promise<string> {
  const { lead, readAt } = fetched;
  const at = now.toISOString();
  const moved = movingDayClaims(deps.claims, call, { at: now, phone });
  const { owner_id: _, window: __, ...known } = call.lead;
  const entry = callActivity(
    { ...call, phone_number: phone },
    {
      suffix: releaseSuffix(call.scheduled_for),
      source: 'release',
      outcome: 'call queued',
      reason: 'The call window opened; the call was queued.',
    },
    now,
  );
  const result = await deps.transact<'call' | 'activity' | DayClaimWrite>(
    {
      call: deps.calls.releasing(call, at, {
        phone_number: phone,
        assistant_id: assistant.assistant_id,
        assistant_name: assistant.name,
        rate: rateFor(org, phone),
        max_duration_seconds: assistant.max_duration_seconds,
        held: 0,
        holds: call.holds ?? 0,
        ...leadWait(org, now, opening),
        claims_day: moved.day,
        lead: {
          ...known,
          ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
          fields: lead.fields,
          read_at: readAt,
          entry_id: entry.event_id,
          ...(window && { window }),
        },
      }),
      ...moved.writes,
      activity: deps.activity.adding(entry),
    },
    { decidedBy: ['call', ...takingDayClaims] },
  );
  if (result.committed) {
    await supersedeEntries(deps, entry, entriesBeforeRelease(call, now));
    return 'call queued';
  }
  const { refused } = result;
  if (refused.call || refused.activity) return 'not_scheduled';
  const taken = alreadyCalled(refused, phone);
  return taken ? cancelUnreleasedAsCalled(deps, call, taken) : 'not_scheduled';
}
