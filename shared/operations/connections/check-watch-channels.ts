import type { ReconnectNeeded } from '../../domain/connections/access/token-result.ts';
import { type ConnectedCrmB, isConnectedCrmB } from '../../domain/connections/connection.ts';
import { admissionBy } from '../../domain/connections/crm-breaker.ts';
import {
  isChannelOf,
  isOfFormerConsent,
  notifyUrlOf,
  silenceSpan,
} from '../../domain/connections/deliveries/watch-channel.ts';
import type { Count } from '../../domain/metric.ts';
import type { CrmBAccess } from '../../integrations/crm-b/api.ts';
import type { CrmBWatch, WatchedChannel } from '../../integrations/crm-b/watch.ts';
import type { ConnectionChannelStore, Granted } from '../../stores/connections/connection-channels.ts';
import { type ConnectionRunDeps, type RunProgress, runOverConnections } from './runs/run-over-connections.ts';
import { oldestFirst } from './runs/visit-each.ts';
import { type CatchUpDeps, catchUp } from './steps/catch-up.ts';
import { type CatchUpSweepDeps, catchUpSweep } from './steps/catch-up-sweep.ts';
import { type RearmChannelDeps, rearmChannel } from './steps/rearm-channel.ts';
import { stopChannel } from './steps/stop-channel.ts';

export type CheckWatchChannelsDeps = RearmChannelDeps &
  ConnectionRunDeps &
  CatchUpDeps &
  CatchUpSweepDeps & {
    channels: Pick<ConnectionChannelStore, 'noteVisit' | 'noteCheck' | 'noteExpiry' | 'noteSilence'>;
    watch: Pick<CrmBWatch, 'list'>;
    count: Count;
  };

/** 1,000 connections at 2 seconds each take less than two minutes, and a tenth of them may be slow. */
const VISITS_AT_ONCE = 20;
/** Enough to visit 1,000 connections whose requests for channels all take until their time-out. */
const ENOUGH_FOR_VISITS_MS = 480_000;

type Finding = 'active' | 'not_armed' | 'inactive' | 'unfinished' | 'silent' | 'unchecked';

/**
 * The report of a run: the number of channels per finding and action. `unfinished`: an arming did not complete.
 * `stopped`: channels that no connection knows. `caught_up`: queued leads.
 */
export type ChannelReport = RunProgress & Record<Finding | 'armed' | 'stopped' | 'caught_up', number>;

/**
 * Checks the watch channel of every connection at CRM-B, starting with those visited longest ago. Rearms a missing
 * channel, and an active one that delivers nothing while leads change. Missed changes are queued.
 */
export async function checkWatchChannels(deps: CheckWatchChannelsDeps): Promise<ChannelReport> {
  const findings = { active: 0, not_armed: 0, inactive: 0, unfinished: 0, silent: 0, unchecked: 0 };
  const did = { armed: 0, stopped: 0, caught_up: 0 };
  const watchOver = async (connection: ConnectedCrmB): Promise<Watched> => {
    const access = deps.accessTo(connection);
    const checked = await check(deps, connection, access);
    if (checked.kind === 'reconnect_needed') return checked;
    const { kind: finding, stopped = 0 } = checked;
    findings[finding] += 1;
    did.stopped += stopped;
    if (finding === 'unchecked') return { kind: 'unchecked' };
    if (finding !== 'active') {
      if (await rearm(deps, connection.connection_id)) did.armed += 1;
      else deps.count('ChannelDown');
    }
    did.caught_up += await catchUp(deps, connection.connection_id, access, finding === 'active');
    return { kind: 'checked' };
  };
  const visit = async (connection: ConnectedCrmB) => {
    // Before the visit, so that a connection that always fails does not always come first.
    await deps.channels.noteVisit(connection.connection_id, deps.now().toISOString());
    const watching = watchOver(connection);
    const watched = await watching.catch(() => ({ kind: 'failed' as const }));
    // Last, because a sweep may be too large for the time of a run. Also after a failure, because it may concern only
    // the channel, and the sweep's leads are given up after twelve hours.
    const swept = await catchUpSweep(deps, connection, mayRequestSweep(deps, connection, watched.kind));
    did.caught_up += swept.queued;
    const found = await watching;
    return found.kind === 'reconnect_needed' ? found : swept.needed;
  };
  const progress = await runOverConnections(deps, visit, {
    atOnce: VISITS_AT_ONCE,
    order: (ids) => oldestFirst(deps.connections, ids),
    onUnvisited: ([oldest = '', ...others]) => {
      deps.count('ChannelCheckLate');
      const reason = `no time was left for it and ${others.length} others`;
      deps.warn('a watch channel is not checked in this period', { connection_id: oldest, reason });
    },
  });
  return { ...progress, ...findings, ...did };
}

type Watched = { kind: 'checked' | 'unchecked' } | ReconnectNeeded;

/**
 * Returns whether to request the leads of a missed sweep: yes after a completed check, no if the grant is gone. If the
 * check failed, CRM-B may be down, and a second time-out for each connection would leave no time for the last ones.
 * The leads are then requested only if enough time is left and the connection's breaker does not refuse.
 */
function mayRequestSweep(
  deps: CheckWatchChannelsDeps,
  { crm_breaker }: ConnectedCrmB,
  watched: Watched['kind'] | 'failed',
): boolean {
  if (watched === 'checked' || watched === 'reconnect_needed') return watched === 'checked';
  return deps.timeLeftMs() >= ENOUGH_FOR_VISITS_MS && admissionBy(crm_breaker, deps.now()).kind !== 'refused';
}

type Checked = { kind: Finding; stopped?: number } | ReconnectNeeded;

async function check(deps: CheckWatchChannelsDeps, connection: ConnectedCrmB, access: CrmBAccess): Promise<Checked> {
  const { connection_id, grant, channel } = connection;
  if (!channel) return { kind: 'not_armed' };
  const granted: Granted = { connectionId: connection_id, grantId: grant.id };
  const listed = await deps.watch.list(access, channel.id);
  if (listed.kind === 'reconnect_needed') return listed;
  const at = deps.now().toISOString();
  if (listed.kind !== 'listed') {
    const message = 'the watch channel could not be checked';
    deps.warn(message, { connection_id, reason: listed.reason });
    await deps.channels.noteCheck(granted, { at, status: 'unchecked', reason: `${message}: ${listed.reason}` });
    return { kind: 'unchecked' };
  }

  const now = await readAgain(deps, connection);
  // The connection has a new channel by now.
  if (!now) return { kind: 'unchecked' };
  const own = listed.channels.find(({ id }) => id === channel.id);
  if (!own || !delivers(own, notifyUrlOf(deps.publicUrl, connection_id), at)) {
    await deps.channels.noteCheck(granted, { at, status: 'inactive', reason: 'the CRM has no such watch channel' });
    return { kind: 'inactive' };
  }
  await deps.channels.noteCheck(granted, { at, status: 'active' });
  if (own.expires_at !== channel.expires_at) await deps.channels.noteExpiry(granted, channel, own.expires_at);
  if (now.pending_token_hashes || isOfFormerConsent(now)) return { kind: 'unfinished' };
  const strays = await stopStrays(deps, connection, access);
  if (strays.kind === 'reconnect_needed') return strays;
  const kind = (await isSilent(deps, now, access, granted)) ? 'silent' : 'active';
  return { kind, stopped: strays.count };
}

/** Returns the current connection, or undefined if its grant or channel has changed. */
async function readAgain(
  deps: CheckWatchChannelsDeps,
  { connection_id, grant, channel }: ConnectedCrmB,
): Promise<ConnectedCrmB | undefined> {
  const now = await deps.connections.get(connection_id);
  return isConnectedCrmB(now) && now.grant.id === grant.id && now.channel?.id === channel?.id ? now : undefined;
}

/** Stops channels that crashed armings left behind, as far as CRM-B lists them. */
async function stopStrays(
  deps: CheckWatchChannelsDeps,
  connection: ConnectedCrmB,
  access: CrmBAccess,
): Promise<{ kind: 'stopped'; count: number } | ReconnectNeeded> {
  const listed = await deps.watch.list(access);
  if (listed.kind === 'reconnect_needed') return listed;
  if (listed.kind !== 'listed') return { kind: 'stopped', count: 0 };
  // Read after the list, so that a channel that is being armed is still pending and not mistaken for a stray.
  const now = await readAgain(deps, connection);
  if (!now || now.pending_token_hashes) return { kind: 'stopped', count: 0 };
  const strays = listed.channels.filter(
    ({ id, notify_url }) => id !== now.channel?.id && isChannelOf(now.connection_id, notify_url),
  );
  let count = 0;
  for (const { id } of strays) if (await stopChannel(deps, now, access, id)) count += 1;
  return { kind: 'stopped', count };
}

const delivers = ({ isComplete, notify_url, expires_at }: WatchedChannel, notifyUrl: string, now: string): boolean =>
  isComplete && notify_url === notifyUrl && expires_at > now;

/** Returns whether a lead changed, and no notification has been delivered for long enough since. */
async function isSilent(
  deps: CheckWatchChannelsDeps,
  connection: ConnectedCrmB,
  access: CrmBAccess,
  granted: Granted,
): Promise<boolean> {
  const span = silenceSpan(connection, deps.now());
  if (!span) return false;
  const changed = await deps.leadsChanged(access, span, 1);
  if (changed.kind === 'unavailable') {
    const { connection_id } = connection;
    deps.warn('the leads that prove silence could not be queried', { connection_id, reason: changed.reason });
    return false;
  }
  const [first] = changed.leads;
  if (!first) return false;
  await deps.channels.noteSilence(granted, first.modified_at);
  return true;
}

async function rearm(deps: CheckWatchChannelsDeps, connectionId: string): Promise<boolean> {
  const connection = await deps.connections.get(connectionId);
  return isConnectedCrmB(connection) && rearmChannel(deps, connection);
}
