import type { Connection } from '../../../domain/connections/connection.ts';
import type { SundayRetry } from '../../../domain/connections/sunday-retry.ts';
import { sundayEventId } from '../../../domain/ids.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { LeadIds } from '../../../integrations/crm-b/coql.ts';
import type { LeadEvent } from '../../../messages/lead-event.ts';
import type { QueueSender } from '../../../stores/queue.ts';

export type SweepLeadsDeps = {
  accessTo: (connection: Connection) => CrmBAccess;
  /** Requests a page of the leads after an id. */
  leadsWithDisposition: (access: CrmBAccess, wanted: SundayRetry & { after?: string }) => Promise<LeadIds>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'sendMany'>;
  now: () => Date;
  timeLeftMs: () => number;
  info: (message: string, facts: { connection_id: string; leads: number }) => void;
};

/**
 * `queued`: the number of leads that were queued before the sweep stopped. `after`: the id after which the next page
 * begins; undefined for the first page. `out_of_time`: the run has no time left for that page. `reconnect_needed`: the
 * grant is gone, and a sweep under the next one may succeed.
 */
export type SweptLeads =
  | { kind: 'swept'; queued: number }
  | {
      kind: 'refused' | 'reconnect_needed' | 'unavailable' | 'out_of_time';
      reason: string;
      queued: number;
      after: string | undefined;
    };

/** Enough for one page: a slow request to the CRM and the sends. */
const ENOUGH_TIME_MS = 60_000;

/**
 * Queues the leads of the Sunday sweep of one connection page by page, so that they need not fit into memory.
 * @param wanted the selection, and in `after` the id after which the sweep begins
 * @param day IST day of the sweep, from which the ids of the events derive: a repeat queues the same events
 * @param onQueued called after each page except the last one, with the id of the page's last lead
 * @throws if the queue refuses events
 */
export async function sweepLeads(
  deps: SweepLeadsDeps,
  connection: Connection,
  wanted: SundayRetry & { after?: string | undefined },
  day: string,
  onQueued: (after: string) => Promise<unknown> = async () => undefined,
): Promise<SweptLeads> {
  const access = deps.accessTo(connection);
  let queued = 0;
  for (let { after } = wanted; ; ) {
    if (deps.timeLeftMs() < ENOUGH_TIME_MS)
      return { kind: 'out_of_time', reason: 'the run has no time left', queued, after };
    const found = await deps.leadsWithDisposition(access, { ...wanted, after });
    if (found.kind !== 'found') {
      const isGrantGone = found.kind === 'refused' && found.needsConsent === true;
      return { kind: isGrantGone ? 'reconnect_needed' : found.kind, reason: found.reason, queued, after };
    }
    await deps.leadQueue.sendMany(found.ids.map((id) => eventOf(connection, id, day, deps.now())));
    queued += found.ids.length;
    deps.info('leads are queued', { connection_id: connection.connection_id, leads: found.ids.length });
    if (found.next === undefined) return { kind: 'swept', queued };
    after = found.next;
    await onQueued(after);
  }
}

const eventOf = ({ connection_id }: Connection, leadId: string, day: string, now: Date): LeadEvent => ({
  event_id: sundayEventId(connection_id, leadId, day),
  connection_id,
  source: 'sunday-sweep',
  event: 'sunday_retry',
  test: false,
  at: now.toISOString(),
  lead: { lead_id: leadId, phones: [], do_not_call: false, fields: {} },
  sunday_rnr_retry: true,
  payload_keys: [],
});
