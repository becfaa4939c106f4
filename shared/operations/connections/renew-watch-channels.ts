import type { ReconnectNeeded } from '../../domain/connections/access/token-result.ts';
import type { ConnectedCrmB } from '../../domain/connections/connection.ts';
import { channelExpiry, isRenewalDue, notifyUrlOf } from '../../domain/connections/deliveries/watch-channel.ts';
import type { CrmBWatch } from '../../integrations/crm-b/watch.ts';
import type { ConnectionChannelStore } from '../../stores/connections/connection-channels.ts';
import { type ConnectionRunDeps, type RunProgress, runOverConnections } from './runs/run-over-connections.ts';
import { type RearmChannelDeps, rearmChannel } from './steps/rearm-channel.ts';

export type RenewWatchChannelsDeps = RearmChannelDeps &
  ConnectionRunDeps & {
    channels: Pick<ConnectionChannelStore, 'noteExpiry'>;
    watch: Pick<CrmBWatch, 'renew'>;
  };

/** The report of a run. `armed`: CRM-B no longer knew the channel. `refused`: the next run tries again. */
export type RenewalReport = RunProgress & { renewed: number; armed: number; refused: number };

/** Extends every watch channel that expires within three days. Its token stays the same. */
export async function renewWatchChannels(deps: RenewWatchChannelsDeps): Promise<RenewalReport> {
  const did = { renewed: 0, armed: 0, refused: 0 };
  const progress = await runOverConnections(deps, async (connection) => {
    const outcome = await renew(deps, connection);
    if (outcome.kind === 'reconnect_needed') return outcome;
    if (outcome.kind !== 'not_due') did[outcome.kind] += 1;
    return undefined;
  });
  return { ...progress, ...did };
}

type Renewal = { kind: 'renewed' | 'armed' | 'refused' | 'not_due' } | ReconnectNeeded;

async function renew(deps: RenewWatchChannelsDeps, connection: ConnectedCrmB): Promise<Renewal> {
  const { connection_id, channel, grant } = connection;
  // check-watch-channels arms a missing channel within minutes.
  if (!channel || !isRenewalDue(channel.expires_at, deps.now())) return { kind: 'not_due' };
  const outcome = await deps.watch.renew(deps.accessTo(connection), {
    id: channel.id,
    notifyUrl: notifyUrlOf(deps.publicUrl, connection_id),
    expiresAt: channelExpiry(deps.now()),
  });
  switch (outcome.kind) {
    case 'armed':
      await deps.channels.noteExpiry({ connectionId: connection_id, grantId: grant.id }, channel, outcome.expires_at);
      return { kind: 'renewed' };
    case 'gone':
      return { kind: (await rearmChannel(deps, connection)) ? 'armed' : 'refused' };
    case 'reconnect_needed':
      return outcome;
    case 'refused':
    case 'unavailable':
    case 'unknown':
      deps.warn('a watch channel could not be renewed', { connection_id, reason: outcome.reason });
      return { kind: 'refused' };
  }
}
