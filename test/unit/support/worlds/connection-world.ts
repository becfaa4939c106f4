import type { AccessToken, Grant } from '../../../../shared/domain/connections/access/grant.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { aWorld } from './world.ts';

/** Makes a world with one stored connection, or none, which a test reads and replaces by `table.connection`. */
export function connectionWorld(stored: Connection | undefined) {
  const world = aWorld(stored ? { connections: [stored] } : {});
  return Object.assign(world, {
    /** Stores a grant, as a consent does. */
    grant: async (grant: Grant, access: AccessToken) => {
      const [connection] = world.all('connections') as Connection[];
      if (connection) await world.common.transact({ grant: world.stores.grants.storing(connection, grant, access) });
    },
    table: {
      get connection(): Connection | undefined {
        return world.all('connections')[0] as Connection | undefined;
      },
      set connection(next: Connection | undefined) {
        for (const item of world.all('connections')) world.remove('connections', item);
        if (next) world.put('connections', next);
      },
    },
  });
}
