import { type ConnectedCrmB, type Connection, isConnectedCrmB } from '../../domain/connections/connection.ts';
import {
  channelExpiry,
  formerTokenUntil,
  gapStart,
  isOfFormerConsent,
  notifyUrlOf,
} from '../../domain/connections/deliveries/watch-channel.ts';
import { hashWebhookToken, newWebhookToken } from '../../domain/connections/deliveries/webhook-token.ts';
import { newChannelId } from '../../domain/ids.ts';
import type { CrmBAccess } from '../../integrations/crm-b/api.ts';
import type { CrmBWatch } from '../../integrations/crm-b/watch.ts';
import type { ConnectionChannelStore, Granted } from '../../stores/connections/connection-channels.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { Transact, Write } from '../../stores/dynamodb/transaction.ts';
import { stopChannel } from './steps/stop-channel.ts';

export type ArmChannelDeps = {
  connections: Pick<ConnectionStore, 'get'>;
  channels: Pick<ConnectionChannelStore, 'setPending' | 'promote' | 'promoting' | 'openGap'>;
  watch: Pick<CrmBWatch, 'arm' | 'stop'>;
  accessTo: (connection: Connection) => CrmBAccess;
  /** The base of the service's public addresses. */
  publicUrl: string;
  now: () => Date;
  warn: (message: string, facts: { connection_id: string; reason: string }) => void;
};

/** A write of the same transaction, such as the audit entry. */
export type ExtraWrite = { transact: Transact; write: Write };

const MAX_TRIES = 4;
/** The maximum of unfinished armings whose tokens are accepted. */
const MAX_PENDING = 8;

/**
 * Gives a CRM-B connection a new watch channel with a new webhook token. The order of the steps survives a crash at any
 * line: the token's hash is stored as pending before CRM-B knows the token, and replaces the former hash once the
 * channel exists. A crash leaves pending hashes, or a channel that the connection does not know: the next check arms
 * another channel and stops the unknown one (docs/crm-b.md, "The watch channel").
 * @param options.keepsFormer whether the former token stays valid for ten minutes. A dead or silent channel may have
 * deliveries in transit
 * @param options.extraWrite a write that happens if and only if the new channel becomes the connection's
 * @returns false if the connection has no new channel, or, with `extraWrite`, another arming's channel. The grant
 * stays, and check-watch-channels arms the channel later
 */
export async function armChannel(
  deps: ArmChannelDeps,
  connectionId: string,
  { keepsFormer = false, extraWrite }: { keepsFormer?: boolean; extraWrite?: ExtraWrite } = {},
): Promise<boolean> {
  const token = newWebhookToken();
  const tokenHash = hashWebhookToken(token);
  const connection = await addPending(deps, connectionId, tokenHash);
  if (!connection) return false;
  const granted = { connectionId, grantId: connection.grant.id };
  // The former channel will not deliver its pending changes, so they are caught up on.
  if (connection.channel && !keepsFormer) await deps.channels.openGap(connectionId, gapStart(connection, deps.now()));
  const access = deps.accessTo(connection);
  const id = newChannelId();

  const armed = await deps.watch.arm(access, {
    id,
    token,
    notifyUrl: notifyUrlOf(deps.publicUrl, connectionId),
    expiresAt: channelExpiry(deps.now()),
  });
  if (armed.kind !== 'armed') {
    deps.warn('the watch channel could not be armed', { connection_id: connectionId, reason: armed.reason });
    // An unknown outcome may have armed the channel: its token stays pending, so that its deliveries are accepted.
    if (armed.kind !== 'unknown') await dropPending(deps, granted, tokenHash);
    return false;
  }

  // The instant of the answer: this channel does not deliver earlier changes.
  const armedAt = deps.now();
  const { token_hash, channel: former } = connection;
  const promotion = [
    granted,
    tokenHash,
    { id, armed_at: armedAt.toISOString(), expires_at: armed.expires_at },
    keepsFormer && token_hash !== undefined && !isOfFormerConsent(connection)
      ? { hash: token_hash, until: formerTokenUntil(armedAt) }
      : undefined,
  ] as const;
  const isPromoted = extraWrite
    ? (await extraWrite.transact({ channel: deps.channels.promoting(...promotion), extraWrite: extraWrite.write }))
        .committed
    : await deps.channels.promote(...promotion);
  const obsolete = isPromoted ? former?.id : id;
  if (obsolete !== undefined) await stopChannel(deps, connection, access, obsolete);
  return isPromoted || (!extraWrite && lostRace(await deps.connections.get(connectionId), connection));
}

/**
 * Returns the connection as it was before the write; undefined if it has no grant or other writers keep changing it.
 */
async function addPending(
  deps: ArmChannelDeps,
  connectionId: string,
  tokenHash: string,
): Promise<ConnectedCrmB | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const connection = await deps.connections.get(connectionId);
    if (!isConnectedCrmB(connection)) return undefined;
    const before = connection.pending_token_hashes;
    const pending = [...(before ?? []), tokenHash].slice(-MAX_PENDING);
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

/** Returns whether another arming under the same grant was faster. */
const lostRace = (now: Connection | undefined, before: ConnectedCrmB): boolean =>
  now?.grant?.id === before.grant.id && now.channel !== undefined && now.channel.id !== before.channel?.id;
