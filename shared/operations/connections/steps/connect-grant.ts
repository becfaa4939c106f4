import type { AccessToken, Grant } from '../../../domain/connections/access/grant.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import type { Actor } from '../../../domain/organizations/audit/audit-entry.ts';
import type { ConnectionGrants, FormerGrant } from '../../../stores/connections/connection-grants.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import type { OauthTokens } from '../../../stores/connections/oauth-tokens.ts';
import { type AuditConnectionDeps, auditConnection } from './audit-connection.ts';
import { isDoneWithin, isSameToken, type RevokeGrantDeps, revokeGrant, revokePending } from './revoke-grant.ts';

export type ConnectGrantDeps = AuditConnectionDeps &
  RevokeGrantDeps & {
    connections: Pick<ConnectionStore, 'get'>;
    grants: Pick<ConnectionGrants, 'storing'>;
    tokens: Pick<OauthTokens, 'open'>;
    /** For CRM-B: arms the watch channel. After `false`, check-watch-channels arms it. */
    armChannel?: (connectionId: string) => Promise<boolean>;
    /** For CRM-B: stops the channel of a replaced grant, under that grant. A failure leaves it to its expiry. */
    stopFormerChannel?: (connection: Connection, former: FormerGrant) => Promise<boolean>;
    /** For the help desk: requests the organizations of the new grant and returns whether one is chosen. */
    chooseOrganization?: (connectionId: string) => Promise<boolean>;
  };

export type Connected = {
  kind: 'connected';
  connectionId: string;
  channel: 'armed' | 'failed' | 'none';
  /** For the help desk: whether tickets have an organization. */
  organization?: 'chosen' | 'not_chosen';
};

/** A person waits, and the function has 29 s for exchange, identity, this work, and the end of a former grant. */
const WORK_MS = 8_000;
const STOP_MS = 4_000;

/** Concurrent consents to one connection are rare. */
const MAX_TRIES = 4;

/**
 * Makes a grant the connection's own, in one write with its audit entry, and begins the work under it. The former grant
 * and another pending consent are revoked.
 * @param mayConnect decides whether the connection, as it is now, may get the grant
 * @returns undefined if the connection is gone or may not get it; then nothing was changed
 */
export async function connectGrant(
  deps: ConnectGrantDeps,
  { connection_id }: Pick<Connection, 'connection_id'>,
  { grant, access, by }: { grant: Grant; access: AccessToken; by: Actor },
  mayConnect: (connection: Connection) => boolean = () => true,
): Promise<Connected | undefined> {
  const before = await store(deps, connection_id, { grant, access, by }, mayConnect);
  if (!before) return undefined;
  const { armChannel, chooseOrganization, sleep } = deps;
  // The person is connected either way: check-watch-channels arms a missing channel, and the next ticket requests the
  // organizations.
  const isDone = (work: Promise<boolean>) => isDoneWithin(WORK_MS, work, sleep);
  const channel = armChannel && ((await isDone(armChannel(connection_id))) ? 'armed' : 'failed');
  const organization =
    chooseOrganization && ((await isDone(chooseOrganization(connection_id))) ? 'chosen' : 'not_chosen');
  const isConfirmed = before.pending_consent?.grant.id === grant.id;
  await Promise.all([endFormer(deps, before, grant), isConfirmed ? undefined : revokePending(deps, before, grant)]);
  return {
    kind: 'connected',
    connectionId: connection_id,
    channel: channel ?? 'none',
    ...(organization && { organization }),
  };
}

/** @returns the connection as it was before */
async function store(
  deps: ConnectGrantDeps,
  connectionId: string,
  { grant, access, by }: { grant: Grant; access: AccessToken; by: Actor },
  mayConnect: (connection: Connection) => boolean,
): Promise<Connection | undefined> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const connection = await deps.connections.get(connectionId);
    if (!connection || !mayConnect(connection)) return undefined;
    // Until now, records were written and channels armed under the former grant.
    const own = { ...grant, granted_at: deps.now().toISOString() };
    const { committed } = await deps.transact({
      connection: deps.grants.storing(connection, own, access),
      audit: auditConnection(deps, by, connection, 'connection.connected', { after: auditedGrant(grant) }),
    });
    if (committed) return connection;
  }
  return undefined;
}

/** Returns the values of a grant for the audit log: its owner, without tokens. */
export const auditedGrant = ({ data_center, identity }: Pick<Grant, 'data_center' | 'identity'>) => ({
  data_center,
  consented_organization: identity?.organizations.map(({ id, name }) => `${id} (${name})`).join(', '),
  consented_user: identity?.user?.email,
});

/**
 * Stops the channel of the replaced grant, then revokes the grant: stopping may require it. If the vendor refuses, the
 * channel stays there until it expires, and the grant stays unused.
 */
async function endFormer(deps: ConnectGrantDeps, before: Connection, grant: Grant): Promise<void> {
  const { connection_id, grant: former, access } = before;
  if (!former || (await isSameToken(deps, connection_id, former.refresh_token, grant.refresh_token))) return;
  if (deps.stopFormerChannel)
    await isDoneWithin(STOP_MS, deps.stopFormerChannel(before, { grant: former, access }), deps.sleep);
  await revokeGrant(deps, connection_id, former);
}
