import type { Connection } from '../../domain/connections/connection.ts';
import { sundayEventId } from '../../domain/ids.ts';
import { type SundayRetry, sundayRetryOf } from '../../domain/leads/sunday-retry.ts';
import { istDay } from '../../domain/time/ist-day.ts';
import type { CrmBAccess } from '../../integrations/crm-b/api.ts';
import type { LeadIds } from '../../integrations/crm-b/coql.ts';
import type { LeadEvent } from '../../messages/lead-event.ts';
import type { QueueSender } from '../../stores/queue.ts';
import {
  type ConnectionRunDeps,
  type RunProgress,
  runOverConnections,
} from '../connections/runs/run-over-connections.ts';

export type SundaySweepDeps = ConnectionRunDeps & {
  accessTo: (connection: Connection) => CrmBAccess;
  /** Requests a page of the leads after an id. */
  leadsWithDisposition: (access: CrmBAccess, wanted: SundayRetry & { after?: string }) => Promise<LeadIds>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'sendMany'>;
  now: () => Date;
  info: (message: string, facts: { connection_id: string; leads: number }) => void;
};

/** The report of a run. `reasons`: why an opted-in connection was not swept, by connection. */
export type SundaySweepReport = RunProgress & {
  /** The IST day of the sweep. */
  day: string;
  swept: number;
  queued: number;
  reasons: Record<string, string>;
};

/** Enough for one page: a slow request to the CRM and the sends. */
const ENOUGH_TIME_MS = 60_000;

/**
 * Queues the leads that have the chosen disposition, for every CRM-B connection that has opted in (docs/crm-b.md, "The
 * Sunday sweep"). The event ids derive from the day, so a second run queues the same events.
 * @throws with the report if a connection failed for a transient reason, or if time ran out: the schedule retries the
 * sweep. Permanent refusals of the CRM appear only in the report
 */
export async function sundaySweep(deps: SundaySweepDeps): Promise<SundaySweepReport> {
  const did = { day: istDay(deps.now()), swept: 0, queued: 0, reasons: {} as Record<string, string> };
  const progress = await runOverConnections(deps, async (connection) => {
    const { connection_id } = connection;
    const wanted = sundayRetryOf(connection);
    if (wanted === 'off') return;
    if (wanted === 'incomplete') {
      did.reasons[connection_id] = 'the disposition or the trigger owner is not set';
      return;
    }
    try {
      const refused = await sweep(deps, connection, wanted, did);
      if (refused === undefined) did.swept += 1;
      else {
        did.reasons[connection_id] = refused;
        deps.warn('the CRM refused the Sunday sweep', { connection_id, reason: refused });
      }
    } catch (error) {
      did.reasons[connection_id] = (error as Error).message;
      throw error;
    }
  });
  const report: SundaySweepReport = { ...progress, ...did };
  if (report.failed > 0 || !report.complete) throw new Error(`the sweep is incomplete: ${JSON.stringify(report)}`);
  return report;
}

/**
 * Queues the leads of one connection page by page, so that they need not fit into memory.
 * @returns the reason if the CRM refused
 */
async function sweep(
  deps: SundaySweepDeps,
  connection: Connection,
  wanted: SundayRetry,
  did: { day: string; queued: number },
): Promise<string | undefined> {
  const access = deps.accessTo(connection);
  for (let page: SundayRetry & { after?: string } = wanted; ; ) {
    if (deps.timeLeftMs() < ENOUGH_TIME_MS) throw new Error('the run has no time left');
    const found = await deps.leadsWithDisposition(access, page);
    if (found.kind === 'refused') return found.reason;
    if (found.kind === 'unavailable') throw new Error(found.reason);
    await deps.leadQueue.sendMany(found.ids.map((id) => eventOf(connection, id, did.day, deps.now())));
    did.queued += found.ids.length;
    deps.info('leads are queued', { connection_id: connection.connection_id, leads: found.ids.length });
    if (found.next === undefined) return undefined;
    page = { ...wanted, after: found.next };
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
