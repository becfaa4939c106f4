import type { ReconnectNeeded } from '../../domain/connections/access/token-result.ts';
import type { ConnectedCrmB } from '../../domain/connections/connection.ts';
import { isSweepDue, missedSweep } from '../../domain/connections/missed-sweep.ts';
import { sundayRetryOf } from '../../domain/connections/sunday-retry.ts';
import { istDay } from '../../domain/time/ist-day.ts';
import type { ConnectionChannelStore } from '../../stores/connections/connection-channels.ts';
import {
  type ConnectionRunDeps,
  type RunProgress,
  runOverConnections,
} from '../connections/runs/run-over-connections.ts';
import { type SweepLeadsDeps, sweepLeads } from '../connections/steps/sweep-leads.ts';

export type SundaySweepDeps = ConnectionRunDeps &
  SweepLeadsDeps & { channels: Pick<ConnectionChannelStore, 'noteMissedSweep' | 'endMissedSweep'> };

/**
 * The report of a run. `reasons`: why a visited connection that has opted in was not swept, by connection. `left`:
 * connections that have opted in, and that the run had no time for.
 */
export type SundaySweepReport = RunProgress & {
  /** The IST day of the sweep. */
  day: string;
  swept: number;
  queued: number;
  left: number;
  reasons: Record<string, string>;
};

/**
 * Queues the leads that have the chosen disposition, for every CRM-B connection that has opted in (docs/crm-b.md, "The
 * Sunday sweep"). The event ids derive from the day, so a second run queues the same events. If a CRM does not answer,
 * or the time runs out, check-watch-channels queues its leads later (catch-up-sweep.ts), unless another sweep does so
 * first.
 * @throws with the report if a connection failed for another transient reason, or if time ran out: the schedule retries
 * the sweep. Permanent refusals of the CRM appear only in the report
 */
export async function sundaySweep(deps: SundaySweepDeps): Promise<SundaySweepReport> {
  const did = { day: istDay(deps.now()), swept: 0, queued: 0, left: 0, reasons: {} as Record<string, string> };
  const visit = async (connection: ConnectedCrmB): Promise<ReconnectNeeded | undefined> => {
    const { connection_id } = connection;
    const wanted = sundayRetryOf(connection);
    if (wanted === 'off') return undefined;
    if (wanted === 'incomplete') {
      did.reasons[connection_id] = 'the disposition or the trigger owner is not set';
      return undefined;
    }
    try {
      const result = await sweepLeads(deps, connection, wanted, did.day);
      did.queued += result.queued;
      if (result.kind === 'swept') {
        await endEarlierMiss(deps, connection, did.day);
        did.swept += 1;
        return undefined;
      }
      const { kind, reason } = result;
      did.reasons[connection_id] = reason;
      if (kind === 'reconnect_needed') return { kind, reason };
      if (kind !== 'refused' && !isMissedAfter(connection, did.day)) {
        const missed = missedSweep(connection, deps.now().toISOString(), result.after);
        await deps.channels.noteMissedSweep(connection_id, missed);
      }
      if (kind === 'out_of_time') throw new Error(reason);
      const message =
        kind === 'refused' ? 'the CRM refused the Sunday sweep' : 'the CRM did not answer the Sunday sweep';
      deps.warn(message, { connection_id, reason });
      return undefined;
    } catch (error) {
      did.reasons[connection_id] = (error as Error).message;
      throw error;
    }
  };
  const leave = async (connection: ConnectedCrmB) => {
    const wanted = sundayRetryOf(connection);
    if (wanted === 'off' || wanted === 'incomplete') return;
    did.left += 1;
    // The record of an earlier try may say how far the leads are queued.
    if (isSweepDue(connection.missed_sweep, did.day)) return;
    await deps.channels.noteMissedSweep(connection.connection_id, missedSweep(connection, deps.now().toISOString()));
  };
  const progress = await runOverConnections(deps, visit, { leave });
  const report: SundaySweepReport = { ...progress, ...did };
  if (report.failed > 0 || !report.complete) throw new Error(`the sweep is incomplete: ${JSON.stringify(report)}`);
  return report;
}

/** Returns whether a sweep of a later day was missed, and its leads are still to be queued. */
const isMissedAfter = ({ missed_sweep: missed }: ConnectedCrmB, day: string): boolean =>
  isSweepDue(missed, day) && missed !== undefined && istDay(new Date(missed.at)) > day;

/** Ends the record of a missed sweep, unless `day` is earlier: the events of that day may already be decided. */
async function endEarlierMiss(
  { channels }: SundaySweepDeps,
  { connection_id, missed_sweep: missed }: ConnectedCrmB,
  day: string,
): Promise<void> {
  if (missed && istDay(new Date(missed.at)) <= day) await channels.endMissedSweep(connection_id, missed.at);
}
