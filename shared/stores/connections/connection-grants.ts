import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { compareOrganizations } from '../../domain/connections/access/consent-identity.ts';
import type { AccessToken, Grant } from '../../domain/connections/access/grant.ts';
import type { PendingConsent } from '../../domain/connections/access/pending-consent.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Write } from '../dynamodb/transaction.ts';
import type { Condition, ItemChange } from '../dynamodb/update.ts';
import { settingsAre } from './connections.ts';

export type ConnectionGrants = ReturnType<typeof connectionGrants>;

/** A worker's lease to refresh an access token, with its expiry. */
export type RefreshLease = NonNullable<Connection['refresh_lease']>;

/** The attributes that end with a grant or with its replacement. */
const ofTheGrant = ['access', 'refreshes', 'refresh_lease', 'reconnect_needed', 'pending_consent'] as const;

/** A replaced grant with its last access token. */
export type FormerGrant = { grant: Grant; access: AccessToken | undefined };

/**
 * Accesses the grants in the Connections table. Every write is conditional on the id of the grant or of the pending
 * consent, so that work under a former one cannot write. Tokens are sealed by the caller (oauth-tokens.ts).
 */
export function connectionGrants(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const tryUpdate = (connectionId: string, grantId: string, change: ItemChange, conditions: Condition[] = []) =>
    writes.tryUpdate({ connection_id: connectionId }, change, [under(grantId), ...conditions]);

  return {
    /**
     * Stores a grant with its first access token in place of a former grant and of a pending consent. Refused if the
     * connection has another grant or another pending consent than when it was read, or is gone.
     */
    storing: (
      connection: Pick<Connection, 'connection_id' | 'grant' | 'pending_consent' | 'known_organizations'>,
      grant: Grant,
      access: AccessToken,
    ): Write => {
      const { connection_id, grant: former, pending_consent: pending } = connection;
      const isAnother = compareOrganizations(connection, grant.identity) === 'another';
      return writes.update(
        { connection_id },
        {
          set: {
            ...{ grant, access, known_organizations: grant.identity?.organizations },
            organization_since: isAnother ? grant.granted_at : undefined,
          },
          remove: ofTheGrant.filter((attribute) => attribute !== 'access'),
        },
        [
          exists,
          former ? under(former.id) : { expression: 'attribute_not_exists(#grant)' },
          pending ? awaits(pending.id) : noPending,
        ],
      );
    },

    /**
     * Stores a consent that awaits its confirmation, in place of another one. Refused if the connection has another
     * pending consent than when it was read, or is gone.
     */
    awaiting: (
      { connection_id, pending_consent: former }: Pick<Connection, 'connection_id' | 'pending_consent'>,
      pending_consent: PendingConsent,
    ): Write =>
      writes.update({ connection_id }, { set: { pending_consent } }, [exists, former ? awaits(former.id) : noPending]),

    /** Stores the identity of a pending consent. @returns false if the consent is no longer pending */
    noteIdentity: (connectionId: string, pending_consent: PendingConsent): Promise<boolean> =>
      writes.tryUpdate({ connection_id: connectionId }, { set: { pending_consent } }, [awaits(pending_consent.id)]),

    /** Removes a pending consent. Refused if it is no longer pending. */
    removingPending: (connectionId: string, pendingId: string): Write =>
      writes.update({ connection_id: connectionId }, { remove: ['pending_consent'] }, [awaits(pendingId)]),

    /**
     * Takes the lease for a refresh.
     * @param refreshes including this one, because a refresh whose answer is lost counts against the limit as well
     * @returns false if another worker holds the lease or the token has changed since the connection was read
     */
    takeLease: (
      { connection_id, access, refreshes: before }: Connection,
      grantId: string,
      { lease, refreshes, now }: { lease: RefreshLease; refreshes: string[]; now: Date },
    ): Promise<boolean> =>
      tryUpdate(connection_id, grantId, { set: { refresh_lease: lease, refreshes } }, [
        access
          ? { expression: '#access.version = :version', values: { version: access.version } }
          : { expression: 'attribute_not_exists(#access) AND attribute_not_exists(reconnect_needed)' },
        {
          // The first alternative accepts a repeat of this write by the SDK.
          expression: `refresh_lease.holder = :holder OR ((attribute_not_exists(refresh_lease) OR refresh_lease.#until <= :now) AND ${
            before ? 'refreshes = :before' : 'attribute_not_exists(refreshes)'
          })`,
          values: { holder: lease.holder, now: now.toISOString(), ...(before && { before }) },
        },
      ]),

    /** Stores a new access token and ends the lease. @returns false if the grant or the lease has changed */
    recordRefresh: (connectionId: string, grantId: string, holder: string, access: AccessToken): Promise<boolean> =>
      tryUpdate(connectionId, grantId, { set: { access }, remove: ['refresh_lease'] }, [heldBy(holder)]),

    /** Extends the lease after a failed refresh, so that no worker refreshes for a while. */
    backOff: (connectionId: string, grantId: string, lease: RefreshLease, refreshes: string[]): Promise<boolean> =>
      tryUpdate(connectionId, grantId, { set: { refresh_lease: lease, refreshes } }, [heldBy(lease.holder)]),

    /**
     * Stores the help desk's organizations of a grant.
     * @param settings new settings; undefined if unchanged
     * @returns false if the grant or the settings have changed since the connection was read
     */
    noteOrganizations: (
      { connection_id, settings: before }: Connection,
      grant: Grant & Required<Pick<Grant, 'organizations'>>,
      settings: Connection['settings'],
    ): Promise<boolean> =>
      // The whole grant can be written because nothing else of it ever changes.
      tryUpdate(connection_id, grant.id, { set: { grant, settings } }, [settingsAre(before)]),

    /**
     * Records that the vendor has ended the grant.
     * @param catch_up_from the start of a gap, unless one is already stored; undefined for no gap
     * @returns false if the connection has another grant
     */
    async markReconnectNeeded(
      connectionId: string,
      grantId: string,
      reconnect_needed: NonNullable<Connection['reconnect_needed']>,
      catch_up_from: string | undefined,
    ): Promise<boolean> {
      const mark = (set: Partial<Connection>, conditions: Condition[] = []) =>
        tryUpdate(connectionId, grantId, { set, remove: ['access', 'refresh_lease'] }, conditions);
      const isFirstGap = { expression: 'attribute_not_exists(catch_up_from)' };
      return (
        (catch_up_from !== undefined && (await mark({ reconnect_needed, catch_up_from }, [isFirstGap]))) ||
        mark({ reconnect_needed })
      );
    },
  };
}

const exists: Condition = { expression: 'attribute_exists(connection_id)' };
const noPending: Condition = { expression: 'attribute_not_exists(pending_consent)' };
const awaits = (pendingId: string): Condition => ({
  expression: 'pending_consent.#id = :pending',
  values: { pending: pendingId },
});

const under = (grantId: string): Condition => ({ expression: '#grant.#id = :grant', values: { grant: grantId } });

const heldBy = (holder: string): Condition => ({
  expression: 'refresh_lease.holder = :holder',
  values: { holder },
});
