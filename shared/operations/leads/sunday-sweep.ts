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
} from '../connections/steps/run-over-connections.ts';

export type SundaySweepDeps = ConnectionRunDeps & {
  accessTo: (connection: Connection) => CrmBAccess;
  /** A page of the leads, from after an id on. */
  leadsWithDisposition: (access: CrmBAccess, wanted: SundayRetry & { after?: string }) => Promise<LeadIds>;
  leadQueue: Pick<QueueSender<LeadEvent>, 'sendMany'>;
  now: () => Date;
};

/** What a run did, and by connection why it did not sweep one that has opted in. */
export type SundaySweepReport = RunProgress & {
  /** The IST day that the sweep counts for. */
  day: string;
  swept: number;
  queued: number;
  reasons: Record<string, string>;
};

/** For a page: the request where the CRM is slow, and its sends. */
const ENOUGH_TIME_MS = 60_000;

/**
 * Queues, for every CRM-B connection that has opted in, the leads of its disposition once more (interface, "Webhook
 * processing rules", 9). The ids of their events follow from the day, so that a second run queues the same ones.
 * @throws with the report, when a connection failed by something that passes, after all were tried: the schedule's retry
 * sweeps again. What the CRM refuses for good is in the report alone.
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
        deps.warn('the CRM refuses the Sunday sweep', { connection_id, reason: refused });
      }
    } catch (error) {
      did.reasons[connection_id] = (error as Error).message;
      throw error;
    }
  });
  const report: SundaySweepReport = { ...progress, ...did };
  if (report.failed > 0 || !report.complete) throw new Error(`the sweep is not complete: ${JSON.stringify(report)}`);
  return report;
}

/** Page by page, so that no connection's leads must fit into memory. @returns why the CRM refused, if it did. */
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
