import type { ReconnectNeeded } from '../../../domain/connections/access/token-result.ts';
import type { ConnectedCrmB } from '../../../domain/connections/connection.ts';
import { missedSweep, SWEEP_WAIT_SECONDS, sweptUpTo } from '../../../domain/connections/missed-sweep.ts';
import { sundayRetryOf } from '../../../domain/connections/sunday-retry.ts';
import type { Count } from '../../../domain/metric.ts';
import { secondsBetween } from '../../../domain/time/instants.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { ConnectionChannelStore } from '../../../stores/connections/connection-channels.ts';
import { type SweepLeadsDeps, sweepLeads } from './sweep-leads.ts';

export type CatchUpSweepDeps = SweepLeadsDeps & {
  channels: Pick<ConnectionChannelStore, 'noteQueuedSweep' | 'giveUpSweep' | 'endMissedSweep'>;
  count: Count;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

const NOTHING = { queued: 0 };

/**
 * Queues the leads of a Sunday sweep that did not reach its end. A later run continues with the page at which this one
 * stops. After twelve hours, the rest is given up. If the grant is gone, the rest waits for the next grant.
 * @param mayRequest whether requests to CRM-B are allowed. Giving up needs none
 * @returns the number of queued leads, and why the connection needs a new consent, if it does
 */
export async function catchUpSweep(
  deps: CatchUpSweepDeps,
  connection: ConnectedCrmB,
  mayRequest: boolean,
): Promise<{ queued: number; needed?: ReconnectNeeded }> {
  const { connection_id, missed_sweep } = connection;
  if (!missed_sweep) return NOTHING;
  const { at: missedAt } = missed_sweep;
  const end = () => deps.channels.endMissedSweep(connection_id, missedAt);
  const now = deps.now();
  // Checked before the deadline: leads that are no longer wanted are not given up.
  const wanted = sundayRetryOf(connection);
  if (wanted === 'off' || wanted === 'incomplete') {
    await end();
    return NOTHING;
  }
  if (missed_sweep.given_up_at !== undefined) return NOTHING;
  if (secondsBetween(missedAt, now) >= SWEEP_WAIT_SECONDS) {
    if (await deps.channels.giveUpSweep(connection_id, missedAt, now.toISOString())) deps.count('LeadGivenUp');
    const reason = 'the CRM did not answer for twelve hours';
    deps.warn('the leads of a Sunday sweep are given up', { connection_id, reason });
    return NOTHING;
  }
  if (!mayRequest) return NOTHING;
  const noteQueued = (after: string) =>
    deps.channels.noteQueuedSweep(connection_id, missedSweep(connection, missedAt, after));
  const rest = { ...wanted, after: sweptUpTo(missed_sweep, connection) };
  const swept = await sweepLeads(deps, connection, rest, istDay(new Date(missedAt)), noteQueued);
  const { kind, queued } = swept;
  if (kind === 'reconnect_needed') return { queued, needed: { kind, reason: swept.reason } };
  if (kind === 'refused') deps.warn('the CRM refused the Sunday sweep', { connection_id, reason: swept.reason });
  if (kind === 'swept' || kind === 'refused') await end();
  return { queued };
}
