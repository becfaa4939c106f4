import { isChannelOf, isOfFormerConsent, notifyUrlOf, silenceSpan } from '../../domain/connections/watch-channel.ts';
import type { Count } from '../../domain/metric.ts';
import type { CrmBAccess } from '../../integrations/crm-b/api.ts';
import type { CrmBWatch, WatchedChannel } from '../../integrations/crm-b/watch.ts';
import type { ConnectionChannelStore, Granted } from '../../stores/connections/connection-channels.ts';
import { stopChannel } from './arm-channel.ts';
import { type CatchUpDeps, catchUp } from './steps/catch-up.ts';
import { type RearmChannelDeps, rearmChannel } from './steps/rearm-channel.ts';
import {
  type ConnectionRunDeps,
  type ConnectionWithGrant,
  isGranted,
  type RunProgress,
  runOverConnections,
} from './steps/run-over-connections.ts';

export type CheckWatchChannelsDeps = RearmChannelDeps &
  ConnectionRunDeps &
  CatchUpDeps & {
    channels: Pick<ConnectionChannelStore, 'noteCheck' | 'noteExpiry' | 'noteSilence'>;
    watch: Pick<CrmBWatch, 'list'>;
    count: Count;
  };

type Finding = 'active' | 'not_armed' | 'inactive' | 'unfinished' | 'silent' | 'unchecked';

/**
 * How many channels were found how, and what was done. `unfinished`: an arming that did not come to its end. `stopped`:
 * channels that no connection knows. `caught_up`: leads that were queued.
 */
export type ChannelReport = RunProgress & Record<Finding | 'armed' | 'stopped' | 'caught_up', number>;

/**
 * Asks CRM-B about the watch channel of every connection, independently of what it delivers: one that is not there is armed
 * anew, and so is one that looks active while leads change and none is delivered. The changes that were missed are queued.
 */
export async function checkWatchChannels(deps: CheckWatchChannelsDeps): Promise<ChannelReport> {
  const found = { active: 0, not_armed: 0, inactive: 0, unfinished: 0, silent: 0, unchecked: 0 };
  const did = { armed: 0, stopped: 0, caught_up: 0 };
  const progress = await runOverConnections(deps, async (connection) => {
    const access = deps.accessTo(connection);
    const { finding, stopped = 0 } = await check(deps, connection, access);
    found[finding] += 1;
    did.stopped += stopped;
    if (finding === 'unchecked') return;
    if (finding !== 'active') {
      if (await rearm(deps, connection.connection_id)) did.armed += 1;
      else deps.count('ChannelDown');
    }
    did.caught_up += await catchUp(deps, connection.connection_id, access, finding === 'active');
  });
  return { ...progress, ...found, ...did };
}

async function check(
  deps: CheckWatchChannelsDeps,
  connection: ConnectionWithGrant,
  access: CrmBAccess,
): Promise<{ finding: Finding; stopped?: number }> {
  const { connection_id, grant, channel } = connection;
  if (!channel) return { finding: 'not_armed' };
  const granted: Granted = { connectionId: connection_id, grantId: grant.id };
  const listed = await deps.watch.list(access, channel.id);
  const at = deps.now().toISOString();
  if (listed.kind !== 'listed') {
    const message = 'the CRM could not be asked about the watch channel';
    deps.warn(message, { connection_id, reason: listed.reason });
    await deps.channels.noteCheck(granted, { at, status: 'unchecked', reason: `${message}: ${listed.reason}` });
    return { finding: 'unchecked' };
  }

  const now = await readAgain(deps, connection);
  // Armed anew meanwhile: what was asked about is not its channel any more.
  if (!now) return { finding: 'unchecked' };
  const own = listed.channels.find(({ id }) => id === channel.id);
  if (!own || !delivers(own, notifyUrlOf(deps.publicUrl, connection_id), at)) {
    await deps.channels.noteCheck(granted, { at, status: 'inactive', reason: 'the CRM has no such watch channel' });
    return { finding: 'inactive' };
  }
  await deps.channels.noteCheck(granted, { at, status: 'active' });
  if (own.expires_at !== channel.expires_at) await deps.channels.noteExpiry(granted, channel, own.expires_at);
  if (now.pending_token_hashes || isOfFormerConsent(now)) return { finding: 'unfinished' };
  const stopped = await stopStrays(deps, connection, access);
  return { finding: (await isSilent(deps, now, access, granted)) ? 'silent' : 'active', stopped };
}

/** @returns the connection as it is now; undefined where it has another grant or channel. */
async function readAgain(
  deps: CheckWatchChannelsDeps,
  { connection_id, grant, channel }: ConnectionWithGrant,
): Promise<ConnectionWithGrant | undefined> {
  const now = await deps.connections.get(connection_id);
  return isGranted(now) && now.grant.id === grant.id && now.channel?.id === channel?.id ? now : undefined;
}

/** Stops what armings have left behind, where the CRM tells all channels. @returns how many. */
async function stopStrays(
  deps: CheckWatchChannelsDeps,
  connection: ConnectionWithGrant,
  access: CrmBAccess,
): Promise<number> {
  const listed = await deps.watch.list(access);
  if (listed.kind !== 'listed') return 0;
  // Read after the list: what is listed was pending before, so that a channel being armed is never taken for a stray.
  const now = await readAgain(deps, connection);
  if (!now || now.pending_token_hashes) return 0;
  const strays = listed.channels.filter(
    ({ id, notify_url }) => id !== now.channel?.id && isChannelOf(now.connection_id, notify_url),
  );
  let stopped = 0;
  for (const { id } of strays) if (await stopChannel(deps, now, access, id)) stopped += 1;
  return stopped;
}

const delivers = ({ isComplete, notify_url, expires_at }: WatchedChannel, notifyUrl: string, now: string): boolean =>
  isComplete && notify_url === notifyUrl && expires_at > now;

/** Whether a lead changed long enough ago and nothing has been delivered since. */
async function isSilent(
  deps: CheckWatchChannelsDeps,
  connection: ConnectionWithGrant,
  access: CrmBAccess,
  granted: Granted,
): Promise<boolean> {
  const span = silenceSpan(connection, deps.now());
  if (!span) return false;
  const changed = await deps.leadsChanged(access, span, 1);
  if (changed.kind === 'unavailable') {
    const { connection_id } = connection;
    deps.warn('whether a channel is silent could not be asked', { connection_id, reason: changed.reason });
    return false;
  }
  const [first] = changed.leads;
  if (!first) return false;
  await deps.channels.noteSilence(granted, first.modified_at);
  return true;
}

async function rearm(deps: CheckWatchChannelsDeps, connectionId: string): Promise<boolean> {
  const connection = await deps.connections.get(connectionId);
  return isGranted(connection) && rearmChannel(deps, connection);
}
