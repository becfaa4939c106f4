import { type Connection, isConnectedCrmB } from '../../../domain/connections/connection.ts';
import {
  beforeOwnWrites,
  type CatchUpSpan,
  catchUpSpan,
  continuedFrom,
  coveredUntil,
  earliestUndelivered,
  givenUpSince,
  type Span,
  wantedSince,
} from '../../../domain/connections/deliveries/watch-channel.ts';
import { catchUpEventId } from '../../../domain/ids.ts';
import type { Count } from '../../../domain/metric.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { ChangedLead, ChangedLeads } from '../../../integrations/crm-b/coql.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { ConnectionBreakers } from '../../../stores/connections/connection-breakers.ts';
import type { ConnectionChannelStore } from '../../../stores/connections/connection-channels.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type CatchUpDeps = {
  connections: Pick<ConnectionStore, 'get'>;
  channels: Pick<ConnectionChannelStore, 'narrowGap' | 'closeGap'>;
  breakers: Pick<ConnectionBreakers, 'replace'>;
  leadsChanged: (access: CrmBAccess, span: Span, most: number) => Promise<ChangedLeads>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'sendMany'>;
  now: () => Date;
  count: Count;
  info: (message: string, facts: { connection_id: string; leads: number }) => void;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/** The most leads of one run, which takes half a minute to queue them. The next run continues with the rest. */
const MAX_LEADS = 5_000;

/**
 * Queues the leads that changed during a gap. The gap stays on the connection until they are queued, and the event ids
 * derive from it, so the next run can repeat a run that died, without calling a lead twice.
 * @param isDelivering whether the channel is known to deliver now
 * @returns the number of queued leads
 */
export async function catchUp(
  deps: CatchUpDeps,
  connectionId: string,
  access: CrmBAccess,
  isDelivering: boolean,
): Promise<number> {
  const connection = await deps.connections.get(connectionId);
  if (!isConnectedCrmB(connection) || connection.catch_up_from === undefined) return 0;
  const { catch_up_from: start, grant } = connection;
  const since = wantedSince(start, connection);
  const span = catchUpSpan(since, connection, deps.now(), isDelivering);
  const changed = await changesOf(deps, access, givenUpSince(since, connection), span);
  if (changed.kind === 'unavailable') {
    deps.warn('the leads of a gap could not be queried', { connection_id: connectionId, reason: changed.reason });
    return 0;
  }
  const { leads } = changed;
  // CRM-B has answered, so the queued leads need not wait for the breaker's next probe.
  if (connection.crm_breaker) await deps.breakers.replace(connectionId, connection.crm_breaker, undefined);
  const giveUp = (reason: string) => {
    deps.count('LeadGivenUp');
    deps.warn('leads of a gap are given up', { connection_id: connectionId, reason });
  };
  if (changed.areTooOld) giveUp('they changed more than two days ago');
  await deps.leadQueue.sendMany(leads.map((lead) => eventOf(lead, connection, start, span, deps.now())));
  if (leads.length > 0) deps.info('missed leads are queued', { connection_id: connectionId, leads: leads.length });
  const granted = { connectionId, grantId: grant.id };
  const next = nextStart(changed, span);
  if (isOneSecond(changed, span))
    giveUp(`${leads.length} leads changed in one second, and its other leads are not queued`);
  if (next !== undefined) await deps.channels.narrowGap(granted, start, next);
  // If another lead was left to the catch-up during this run, the gap stays open for the next run.
  else if (!(await deps.channels.closeGap(granted, start, coveredUntil(span.to))))
    await deps.channels.narrowGap(granted, start, earliestUndelivered(span.to));
  return leads.length;
}

/**
 * Queries the leads of a gap.
 * @param since ISO 8601; a lead that changed since then, but before the span, is given up
 * @returns with `areTooOld`, whether such a lead exists
 */
async function changesOf(
  { leadsChanged }: CatchUpDeps,
  access: CrmBAccess,
  since: string,
  span: Span,
): Promise<
  (Extract<ChangedLeads, { kind: 'found' }> & { areTooOld: boolean }) | Exclude<ChangedLeads, { kind: 'found' }>
> {
  const before = { from: new Date(since), to: new Date(secondsAfter(span.from, -1)) };
  const former = before.from <= before.to ? await leadsChanged(access, before, 1) : undefined;
  if (former?.kind === 'unavailable') return former;
  const changed = await leadsChanged(access, span, MAX_LEADS);
  return changed.kind === 'found'
    ? { ...changed, areTooOld: former !== undefined && former.leads.length > 0 }
    : changed;
}

type Changed = Pick<Extract<ChangedLeads, { kind: 'found' }>, 'leads' | 'complete'>;

/** Returns where the next run continues, or undefined if the gap is closed. */
function nextStart(changed: Changed, span: CatchUpSpan): string | undefined {
  if (changed.complete) return span.isClosed ? undefined : continuedFrom(span.to);
  return isOneSecond(changed, span) ? secondsAfter(span.from, 1) : lastChange(changed, span);
}

/**
 * Returns whether all leads of a run changed in its first second, in which more leads may have changed. The next run
 * skips that second, because it would queue the same leads again.
 */
const isOneSecond = (changed: Changed, span: Span): boolean =>
  !changed.complete && lastChange(changed, span) <= span.from.toISOString();

const lastChange = ({ leads }: Changed, { to }: Span): string => leads.at(-1)?.modified_at ?? to.toISOString();

function eventOf(
  { id, created_at, modified_at }: ChangedLead,
  { connection_id, catch_up_to }: Connection,
  gapStart: string,
  { from }: Span,
  now: Date,
): LeadEvent {
  const isNew = created_at >= from.toISOString();
  return {
    event_id: catchUpEventId(connection_id, id, gapStart, modified_at, catch_up_to),
    connection_id,
    source: 'catch-up',
    event: isNew ? 'new_lead' : 'lead_edited',
    test: false,
    at: now.toISOString(),
    original_at: beforeOwnWrites(modified_at),
    changed_at: modified_at,
    ...(isNew && { created_at }),
    lead: { lead_id: id, phones: [], do_not_call: false, fields: {} },
    payload_keys: [],
  };
}
