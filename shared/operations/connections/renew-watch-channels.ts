import type { ConnectedCrmB } from '../../domain/connections/connection.ts';
import { channelExpiry, isRenewalDue, notifyUrlOf } from '../../domain/connections/watch-channel.ts';
import type { CrmBWatch } from '../../integrations/crm-b/watch.ts';
import type { ConnectionChannelStore } from '../../stores/connections/connection-channels.ts';
import { type RearmChannelDeps, rearmChannel } from './steps/rearm-channel.ts';
import { type ConnectionRunDeps, type RunProgress, runOverConnections } from './steps/run-over-connections.ts';

export type RenewWatchChannelsDeps = RearmChannelDeps &
  ConnectionRunDeps & {
    channels: Pick<ConnectionChannelStore, 'noteExpiry'>;
    watch: Pick<CrmBWatch, 'renew'>;
  };

/** The report of a run. `armed`: CRM-B did not know the channel any more. `refused`: the next run tries again. */
export type RenewalReport = RunProgress & { renewed: number; armed: number; refused: number };

/** Extends every watch channel that expires within three days. Its token stays the same. */
export async function renewWatchChannels(deps: RenewWatchChannelsDeps): Promise<RenewalReport> {
  const did = { renewed: 0, armed: 0, refused: 0 };
  const progress = await runOverConnections(deps, async (connection) => {
    const outcome = await renew(deps, connection);
    if (outcome) did[outcome] += 1;
  });
  return { ...progress, ...did };
}

async function renew(
  deps: RenewWatchChannelsDeps,
  connection: ConnectedCrmB,
): Promise<'renewed' | 'armed' | 'refused' | undefined> {
  const { connection_id, channel, grant } = connection;
  // check-watch-channels arms a missing channel within minutes.
  if (!channel || !isRenewalDue(channel.expires_at, deps.now())) return undefined;
  const outcome = await deps.watch.renew(deps.accessTo(connection), {
    id: channel.id,
    notifyUrl: notifyUrlOf(deps.publicUrl, connection_id),
    expiresAt: channelExpiry(deps.now()),
  });
  switch (outcome.kind) {
    case 'armed':
      await deps.channels.noteExpiry({ connectionId: connection_id, grantId: grant.id }, channel, outcome.expires_at);
      return 'renewed';
    case 'gone':
      return (await rearmChannel(deps, connection)) ? 'armed' : 'refused';
    default:
      deps.warn('a watch channel could not be renewed', { connection_id, reason: outcome.reason });
      return 'refused';
  }
}
