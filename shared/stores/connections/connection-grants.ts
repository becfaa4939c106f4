import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type Connection, connectionSchema } from '../../domain/connections/connection.ts';
import type { AccessToken, Grant } from '../../domain/connections/grant.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Change, Condition } from '../dynamodb/update.ts';

export type ConnectionGrants = ReturnType<typeof connectionGrants>;

/** Who may refresh the access token of a grant, and until when. */
export type RefreshLease = NonNullable<Connection['refresh_lease']>;

/** All that goes with a grant. */
const ofTheGrant = ['access', 'refreshes', 'refresh_lease', 'reconnect_needed'] as const;

const replaced = z.object({ grant: connectionSchema.shape.grant });

/**
 * The grants on the Connections table. Every write about a grant is conditional on its id: what was begun under another
 * one changes nothing. Tokens come sealed (oauth-tokens.ts).
 */
export function connectionGrants(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const tryUpdate = (connectionId: string, grantId: string, change: Change, conditions: Condition[] = []) =>
    writes.tryUpdate({ connection_id: connectionId }, change, [under(grantId), ...conditions]);

  return {
    /**
     * Stores what a customer has granted, with its first access token, in place of what stood there.
     * @returns the grant that stood there; undefined where there is no such connection.
     */
    async store(
      connectionId: string,
      grant: Grant,
      access: AccessToken,
    ): Promise<{ former: Grant | undefined } | undefined> {
      const before = await writes.tryUpdateReturning(
        'UPDATED_OLD',
        { connection_id: connectionId },
        { set: { grant, access }, remove: ofTheGrant.filter((attribute) => attribute !== 'access') },
        [{ expression: 'attribute_exists(connection_id)' }],
      );
      if (!before) return undefined;
      const { grant: former } = replaced.parse(before);
      // Its own: the SDK has repeated a write whose answer was lost.
      return { former: former?.id === grant.id ? undefined : former };
    },

    /**
     * Takes the right to refresh. @param connection as it was read. @param refreshes with this one, written at once: a
     * refresh whose answer is lost counts as well.
     * @returns false where somebody else has the right, or anything about the token is not as it was read.
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
          // Its own: the SDK has repeated a write whose answer was lost.
          expression: `refresh_lease.holder = :holder OR ((attribute_not_exists(refresh_lease) OR refresh_lease.#until <= :now) AND ${
            before ? 'refreshes = :before' : 'attribute_not_exists(refreshes)'
          })`,
          values: { holder: lease.holder, now: now.toISOString(), ...(before && { before }) },
        },
      ]),

    /** Records a refresh and gives the lease back. @returns false where grant or lease are another's by now. */
    recordRefresh: (connectionId: string, grantId: string, holder: string, access: AccessToken): Promise<boolean> =>
      tryUpdate(connectionId, grantId, { set: { access }, remove: ['refresh_lease'] }, [heldBy(holder)]),

    /** Lets nobody refresh for a while: the refresh failed. @param refreshes those that count from now on. */
    holdBack: (connectionId: string, grantId: string, lease: RefreshLease, refreshes: string[]): Promise<boolean> =>
      tryUpdate(connectionId, grantId, { set: { refresh_lease: lease, refreshes } }, [heldBy(lease.holder)]),

    /**
     * Writes down which organizations of the help desk a grant may use.
     * @param connection as it was read. @param settings to go with it; undefined = as they stand.
     * @returns false where grant or settings are others by now.
     */
    noteOrganizations: (
      { connection_id, settings: before }: Connection,
      grant: Grant & Required<Pick<Grant, 'organizations'>>,
      settings: Connection['settings'],
    ): Promise<boolean> =>
      // Nothing else of a grant ever changes, so that it may be written as a whole.
      tryUpdate(connection_id, grant.id, { set: { grant, settings } }, [
        before
          ? { expression: '#settings = :before', values: { before } }
          : { expression: 'attribute_not_exists(#settings)' },
      ]),

    /**
     * Writes down that the grant is gone at the provider.
     * @param catch_up_from since when leads may have been told of in vain; undefined = as it stands.
     * @returns false where it is another one by now.
     */
    markReconnectNeeded: (
      connectionId: string,
      grantId: string,
      reconnect_needed: NonNullable<Connection['reconnect_needed']>,
      catch_up_from: string | undefined,
    ): Promise<boolean> =>
      tryUpdate(connectionId, grantId, {
        set: { reconnect_needed, catch_up_from },
        remove: ['access', 'refresh_lease'],
      }),
  };
}

const under = (grantId: string): Condition => ({ expression: '#grant.#id = :grant', values: { grant: grantId } });

const heldBy = (holder: string): Condition => ({
  expression: 'refresh_lease.holder = :holder',
  values: { holder },
});
