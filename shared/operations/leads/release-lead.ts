import { callActivity } from '../../domain/calls/call-activity.ts';
import { alreadyCalledReasons } from '../../domain/calls/day-claims.ts';
import { leadWait } from '../../domain/calls/new-call.ts';
import { STILL_SECONDS } from '../../domain/calls/recovery.ts';
import { isScheduled, mayPostpone, type ScheduledCall } from '../../domain/calls/scheduled-call.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import { callWindowOf } from '../../domain/connections/crm-b-settings.ts';
import { callIdForLead } from '../../domain/ids.ts';
import { CRM_RETRIES_SECONDS, crmRetryDelay } from '../../domain/leads/crm-retry.ts';
import type { Lead } from '../../domain/leads/lead.ts';
import { decideLead, type LeadDecision, outOfCredit, type RefusedOutcome } from '../../domain/leads/lead-decision.ts';
import { releaseSuffix } from '../../domain/leads/release.ts';
import { holdEntry } from '../../domain/organizations/ledger-entry.ts';
import type { Organization } from '../../domain/organizations/organization.ts';
import { type Opening, openingAfter } from '../../domain/time/call-window.ts';
import { secondsBetween } from '../../domain/time/instants.ts';
import { type LeadEvent, originalEventId } from '../../messages/lead-event.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { CreditLedger } from '../../stores/organizations/credit-ledger.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import type { QueueSender } from '../../stores/queue.ts';
import { alreadyCalled, type DayClaimWrite, movingDayClaims, takingDayClaims } from '../calls/steps/day-claims.ts';
import { type CancelUnreleasedCallDeps, cancelUnreleasedCall } from './steps/cancel-unreleased-call.ts';
import { type FetchedLead, type FetchLeadDeps, fetchLead } from './steps/fetch-lead.ts';
import { type GatherFactsDeps, gatherFacts } from './steps/gather-facts.ts';

export type ReleaseLeadDeps = CancelUnreleasedCallDeps &
  FetchLeadDeps &
  GatherFactsDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    organizations: Pick<OrganizationStore, 'get' | 'holding' | 'parse'>;
    calls: Pick<CallStore, 'get' | 'releasing' | 'postponing' | 'ending'>;
    claims: Pick<ClaimStore, 'taking' | 'freeing'>;
    ledger: Pick<CreditLedger, 'adding'>;
    leadQueue: QueueSender<LeadEvent>;
    /** Adds the ids to every following line of the log. */
    correlate: (ids: { org_id: string; call_id: string }) => void;
  };

/**
 * Releases a scheduled call when its window opens: its lead is fetched and decided again, except for the claims, which it
 * already owns. The call is queued, postponed or canceled, in one transaction with its Activity entry
 * (docs/call-lifecycle.md, "Scheduled calls").
 * @returns the outcome, for the log
 */
export async function releaseLead(deps: ReleaseLeadDeps, event: LeadEvent): Promise<string> {
  const originalId = originalEventId(event);
  const [call, connection] = await Promise.all([
    deps.calls.get(callIdForLead(event.connection_id, originalId)),
    deps.connections.get(event.connection_id),
  ]);
  if (!isScheduled(call) || call.scheduled_for !== event.scheduled_for) return 'not_scheduled';
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
  const fetched = await fetchLead(deps, event, connection);
  if (fetched.notFetched?.outcome === 'crm_unavailable')
    return withoutCrm(deps, event, { call, connection, isSundayRetry, fetched, now });

  const facts = await gatherFacts(deps, fetched, { connection, org, isSundayRetry, now });
  const decision = decideLead({ ...facts, eventId: originalId, claimedBy: { lead: [], phone: [] } });
  switch (decision.kind) {
    case 'call':
      return queue(deps, { call, connection, org, lead: fetched.lead, isSundayRetry }, decision, now);
    case 'scheduled':
      return postpone(deps, call, decision.opening, { now, phone: decision.phone, reason: CLOSED, atLast: 'ignored' });
    case 'refused':
      return cancelUnreleasedCall(deps, call, decision);
    case 'already_placed':
      return 'not_scheduled';
  }
}

const CLOSED = 'The call window was changed; the call waits for the next one.';
const NO_CRM = 'The lead could not be fetched from the CRM; the call waits for the next call window.';

type Late = { call: ScheduledCall; connection: Connection; isSundayRetry: boolean; fetched: FetchedLead; now: Date };

/**
 * Repeats the release with growing delays while the CRM is unavailable, then postpones the call to its next window or
 * cancels it if there is none. recover-calls sends the same release every few minutes. Such a late release starts no
 * delays of its own: while delays may be in progress it does nothing, and after them it postpones the call at once.
 */
async function withoutCrm(
  deps: ReleaseLeadDeps,
  event: LeadEvent,
  { call, connection, isSundayRetry, fetched, now }: Late,
): Promise<string> {
  const tries = (event.tries ?? 0) + 1;
  const overdue = secondsBetween(call.scheduled_for, now);
  const isOver = event.tries === undefined && overdue >= CRM_RETRIES_SECONDS;
  const delay = fetched.isFinal || isOver ? undefined : crmRetryDelay(tries);
  if (delay !== undefined) {
    if (event.tries !== undefined || overdue < STILL_SECONDS) await deps.leadQueue.send({ ...event, tries }, delay);
    return 'crm_unavailable_for_now';
  }
  const next = openingAfter(callWindowOf(connection, { isSundayRetry }), now);
  if (next)
    return postpone(deps, call, next, { now, phone: call.phone_number, reason: NO_CRM, atLast: 'crm_unavailable' });
  const reason = fetched.notFetched?.reason ?? NO_CRM;
  return cancelUnreleasedCall(deps, call, { outcome: 'crm_unavailable', reason });
}

/** Queues the call on the present terms of organization, assistant and lead, and holds its credit. */
async function queue(
  deps: ReleaseLeadDeps,
  {
    call,
    connection,
    org,
    lead,
    isSundayRetry,
  }: { call: ScheduledCall; connection: Connection; org: Organization; lead: Lead; isSundayRetry: boolean },
  { phone, assistant, hold, opening }: Extract<LeadDecision, { kind: 'call' }>,
  now: Date,
): Promise<string> {
  const at = now.toISOString();
  const moved = movingDayClaims(deps.claims, call, { at: now, phone });
  const holds = (call.holds ?? 0) + 1;
  const window = callWindowOf(connection, { isSundayRetry });
  const { owner_id: _, window: __, ...known } = call.lead;
  const entry = callActivity(
    { ...call, phone_number: phone },
    {
      suffix: releaseSuffix(call.scheduled_for),
      source: 'release',
      outcome: 'call queued',
      reason: 'The call window is open; the call is queued.',
    },
    now,
  );
  const result = await deps.transact<'call' | 'credit' | 'ledger' | 'activity' | DayClaimWrite>(
    {
      call: deps.calls.releasing(call, at, {
        phone_number: phone,
        assistant_id: assistant.assistant_id,
        assistant_name: assistant.name,
        rate: org.rate,
        max_duration_seconds: assistant.max_duration_seconds,
        held: hold,
        holds,
        ...leadWait(org, now, opening),
        claims_day: moved.day,
        lead: {
          ...known,
          ...(lead.owner_id !== undefined && { owner_id: lead.owner_id }),
          fields: lead.fields,
          ...(window && { window }),
        },
      }),
      credit: deps.organizations.holding(org.org_id, hold),
      ledger: deps.ledger.adding(holdEntry({ ...call, holds }, hold, at)),
      ...moved.writes,
      activity: deps.activity.adding(entry),
    },
    { decidedBy: ['call', ...takingDayClaims] },
  );
  if (result.committed) return 'call queued';
  const { refused } = result;
  if (refused.call || refused.activity) return 'not_scheduled';
  const taken = alreadyCalled(refused);
  if (taken) return cancelUnreleasedCall(deps, call, { outcome: taken, reason: alreadyCalledReasons[taken] });
  const available = refused.credit?.item ? deps.organizations.parse(refused.credit.item).available : 0;
  return cancelUnreleasedCall(deps, call, outOfCredit(hold, available));
}

/** Moves the call to a later opening. Within one IST day its claims do not change. */
async function postpone(
  deps: ReleaseLeadDeps,
  call: ScheduledCall,
  opening: Opening,
  { now, phone, reason, atLast }: { now: Date; phone: string; reason: string; atLast: RefusedOutcome },
): Promise<string> {
  if (!mayPostpone(call))
    return cancelUnreleasedCall(deps, call, { outcome: atLast, reason: 'The call was postponed too often.' });
  const scheduled_for = opening.from.toISOString();
  const moved = movingDayClaims(deps.claims, call, { at: opening.from, phone });
  const entry = callActivity(
    { ...call, phone_number: phone },
    { suffix: releaseSuffix(call.scheduled_for), source: 'release', outcome: 'call scheduled', reason, scheduled_for },
    now,
  );
  const result = await deps.transact<'call' | 'activity' | DayClaimWrite>({
    call: deps.calls.postponing(call, now.toISOString(), {
      scheduled_for,
      ...leadWait({}, opening.from, opening),
      phone_number: phone,
      claims_day: moved.day,
      lead: call.lead,
    }),
    ...moved.writes,
    activity: deps.activity.adding(entry),
  });
  if (result.committed) return 'call scheduled';
  const taken = result.refused.call ? undefined : alreadyCalled(result.refused);
  return taken
    ? cancelUnreleasedCall(deps, call, { outcome: taken, reason: alreadyCalledReasons[taken] })
    : 'not_scheduled';
}
