import { ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import {
  channelExpiry,
  formerTokenUntil,
  gapStart,
  isOfFormerConsent,
  notifyUrlOf,
} from '../../domain/connections/watch-channel.ts';
import { hashWebhookToken, newWebhookToken } from '../../domain/connections/webhook-token.ts';
import { newChannelId } from '../../domain/ids.ts';
import type { CrmBAccess } from '../../integrations/crm-b/api.ts';
import type { CrmBWatch } from '../../integrations/crm-b/watch.ts';
import type { ConnectionChannelStore, Granted } from '../../stores/connections/connection-channels.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import { type ConnectionWithGrant, isGranted } from './steps/run-over-connections.ts';

export type ArmChannelDeps = {
  connections: Pick<ConnectionStore, 'get'>;
  channels: Pick<ConnectionChannelStore, 'setPending' | 'promote' | 'openGap'>;
  watch: Pick<CrmBWatch, 'arm' | 'stop'>;
  accessTo: (connection: Connection) => CrmBAccess;
  /** Base of the addresses given to others. */
  publicUrl: string;
  now: () => Date;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

const MOST_TRIES = 4;
/** Armings whose end nobody knows: more than this were not under way within the minutes in which it matters. */
const MOST_PENDING = 8;

/**
 * Gives a CRM-B connection a new watch channel with a new webhook token, in an order that bears a crash anywhere: the
 * token's hash is taken as pending before the CRM can use it, and takes the place of the one before when the channel is
 * there. A crash leaves pending hashes, or a channel that nobody knows; the next check arms anew and stops it
 * (docs/crm-b.md, "The watch channel").
 * @param options.keepsFormer the token before counts for ten minutes more: a dead or silent channel may have sent something
 * that is under way. Without it, and after a new consent, it ends when the new one takes its place. What is lost with the
 * channel before is caught up on by the next check.
 * @returns false where the connection has no new channel; the grant stays, and check-watch-channels arms it later.
 */
export async function armChannel(
  deps: ArmChannelDeps,
  connectionId: string,
  { keepsFormer = false }: { keepsFormer?: boolean } = {},
): Promise<boolean> {
  const token = newWebhookToken();
  const tokenHash = hashWebhookToken(token);
  const connection = await addPending(deps, connectionId, tokenHash);
  if (!connection) return false;
  const granted = { connectionId, grantId: connection.grant.id };
  // What the channel before has not told yet, it never will.
  if (connection.channel && !keepsFormer) await deps.channels.openGap(connectionId, gapStart(connection, deps.now()));
  const access = deps.accessTo(connection);
  const id = newChannelId(deps.now());

  const armed = await deps.watch
    .arm(access, {
      id,
      token,
      notifyUrl: notifyUrlOf(deps.publicUrl, connectionId),
      expiresAt: channelExpiry(deps.now()),
    })
    .catch((error: unknown) => {
      if (error instanceof ReconnectNeeded) return { kind: 'refused' as const, reason: error.message };
      throw error;
    });
  if (armed.kind !== 'armed') {
    deps.warn('the watch channel could not be armed', { connection_id: connectionId, reason: armed.reason });
    // Where it may be armed all the same, its token stays pending, and what it delivers is taken.
    if (armed.kind !== 'unknown') await dropPending(deps, granted, tokenHash);
    return false;
  }

  // After the answer: what changed before it is a matter of catching up, not of this channel.
  const armedAt = deps.now();
  const { token_hash, channel: former } = connection;
  const isPromoted = await deps.channels.promote(
    granted,
    tokenHash,
    { id, armed_at: armedAt.toISOString(), expires_at: armed.expires_at },
    keepsFormer && token_hash !== undefined && !isOfFormerConsent(connection)
      ? { hash: token_hash, until: formerTokenUntil(armedAt) }
      : undefined,
  );
  const useless = isPromoted ? former?.id : id;
  if (useless !== undefined) await stopChannel(deps, connection, access, useless);
  return isPromoted || wasOvertaken(await deps.connections.get(connectionId), connection);
}

/** @returns the connection as it was right before; undefined where it has no grant or others keep changing it. */
async function addPending(
  deps: ArmChannelDeps,
  connectionId: string,
  tokenHash: string,
): Promise<ConnectionWithGrant | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const connection = await deps.connections.get(connectionId);
    if (!isGranted(connection)) return undefined;
    const before = connection.pending_token_hashes;
    const pending = [...(before ?? []), tokenHash].slice(-MOST_PENDING);
    const granted = { connectionId, grantId: connection.grant.id };
    if (await deps.channels.setPending(granted, before, pending)) return connection;
  }
  return undefined;
}

async function dropPending(deps: ArmChannelDeps, granted: Granted, tokenHash: string): Promise<void> {
  const before = (await deps.connections.get(granted.connectionId))?.pending_token_hashes;
  if (before?.includes(tokenHash))
    await deps.channels.setPending(
      granted,
      before,
      before.filter((hash) => hash !== tokenHash),
    );
}

/** Stops a channel that is of no use any more. A failure is told: the next check finds the channel and stops it. */
export async function stopChannel(
  deps: Pick<ArmChannelDeps, 'warn'> & { watch: Pick<CrmBWatch, 'stop'> },
  { connection_id }: Connection,
  access: CrmBAccess,
  channelId: string,
): Promise<boolean> {
  const outcome = await deps.watch
    .stop(access, channelId)
    .catch(({ message }: Error) => ({ kind: 'refused' as const, reason: message }));
  if (outcome.kind === 'stopped' || outcome.kind === 'gone') return true;
  deps.warn('a watch channel could not be stopped', { connection_id, reason: outcome.reason });
  return false;
}

/** Whether another arming under the same grant was the quicker one. @param before the connection when this one began. */
const wasOvertaken = (now: Connection | undefined, before: ConnectionWithGrant): boolean =>
  now?.grant?.id === before.grant.id && now.channel !== undefined && now.channel.id !== before.channel?.id;
