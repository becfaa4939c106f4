import type { Call } from '../../domain/calls/call.ts';
import { isScheduled } from '../../domain/calls/dialing/scheduled-call.ts';
import { callWindowOf } from '../../domain/connections/crm-b-settings.ts';
import { callIdForLead } from '../../domain/ids.ts';
import { decideLead, endOfCall } from '../../domain/leads/lead-decision.ts';
import { waitEntryId } from '../../domain/leads/long-wait.ts';
import { secondsBetween } from '../../domain/time/instants.ts';
import { type LeadEvent, originalEventId } from '../../messages/lead-event.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ActivityStore } from '../../stores/connections/activity.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { supersedeEntries } from '../calls/steps/supersede-entries.ts';
import { cancelUnreleasedCall } from './steps/cancel-unreleased-call.ts';
import { type FetchLeadDeps, fetchLead } from './steps/fetch-lead.ts';
import { findLaterOwners } from './steps/find-claims.ts';
import { type GatherFactsDeps, gatherFacts } from './steps/gather-facts.ts';
import { postponeScheduledCall } from './steps/postpone-scheduled-call.ts';
import { type QueueScheduledCallDeps, queueScheduledCall } from './steps/queue-scheduled-call.ts';
import { type ReleaseWithoutCrmDeps, releaseWithoutCrm } from './steps/release-without-crm.ts';

export type ReleaseLeadDeps = FetchLeadDeps &
  GatherFactsDeps &
  QueueScheduledCallDeps &
  ReleaseWithoutCrmDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    organizations: Pick<OrganizationStore, 'get'>;
    calls: Pick<CallStore, 'get'>;
    claims: Pick<ClaimStore, 'owners'>;
    activity: Pick<ActivityStore, 'has'>;
    /** Adds the ids to every following line of the log. */
    correlate: (ids: { org_id: string; call_id: string }) => void;
  };

const CLOSED = 'The call window was changed; the call waits for the next one.';

/**
 * Releases a scheduled call when its window opens: its lead is fetched and decided again. The call owns its claims
 * already, but a newer event may have called the lead meanwhile. The call is queued, postponed or canceled, in one
 * transaction with its Activity entry (docs/call-lifecycle.md, "Scheduled calls").
 * @returns the outcome, for the log
 */
export async function releaseLead(deps: ReleaseLeadDeps, event: LeadEvent): Promise<string> {
  const originalId = originalEventId(event);
  const [call, connection] = await Promise.all([
    deps.calls.get(callIdForLead(event.connection_id, originalId)),
    deps.connections.get(event.connection_id),
  ]);
  if (!isScheduled(call) || call.scheduled_for !== event.scheduled_for) {
    if (call) await completeRelease(deps, event, call);
    return 'not_scheduled';
  }
  const org = connection && (await deps.organizations.get(connection.org_id));
  if (!connection || !org) return 'no_such_connection';
  deps.correlate({ org_id: org.org_id, call_id: call.call_id });
  const now = deps.now();
  const early = secondsBetween(now, call.scheduled_for);
  if (early > 0) {
    await deps.leadQueue.send(event, early);
    return 'too_early';
  }

  const isSundayRetry = event.sunday_rnr_retry === true;
  const window = callWindowOf(connection, { isSundayRetry });
  const fetched = await fetchLead(deps, event, connection);
  if (fetched.notFetched?.outcome === 'crm_unavailable')
    return releaseWithoutCrm(deps, event, fetched, { call, window, connection, org, now });

  const [facts, lead] = await Promise.all([
    gatherFacts(deps, fetched, { connection, org, isSundayRetry, now }),
    findLaterOwners(deps, call, now),
  ]);
  const decision = decideLead({ ...facts, eventId: originalId, claimedBy: { lead, phone: [] } });
  switch (decision.kind) {
    case 'call':
      return queueScheduledCall(deps, { call, org, window, fetched, now }, decision);
    case 'scheduled': {
      const { opening, phone } = decision;
      return postponeScheduledCall(deps, call, { opening, phone, reason: CLOSED, outcomeIfTooOften: 'ignored' }, now);
    }
    case 'refused':
      return cancelUnreleasedCall(deps, call, endOfCall(decision, fetched.lead));
    case 'already_placed':
      return 'not_scheduled';
  }
}

/**
 * Marks entries as superseded by the release, in case the worker of an earlier delivery died before it did so. By now,
 * only the entries of the placing and of the wait for the CRM can still be named.
 */
async function completeRelease(
  deps: ReleaseLeadDeps,
  { connection_id, event_id }: LeadEvent,
  { request_id }: Call,
): Promise<void> {
  if (await deps.activity.has(connection_id, event_id))
    await supersedeEntries(deps, { connection_id, event_id }, [request_id, waitEntryId(event_id)]);
}
