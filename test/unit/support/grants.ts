import type { Connection } from '../../../shared/domain/connections/connection.ts';
import type { ConnectionGrants } from '../../../shared/stores/connections/connection-grants.ts';

/** One connection in memory, with the conditions of the real writes: each of them is atomic. */
export function grantsInMemory(initial: Connection | undefined) {
  const table = { connection: initial };
  const under = (grantId: string) => table.connection?.grant?.id === grantId;
  const held = (holder: string) => table.connection?.refresh_lease?.holder === holder;
  const change = (next: Partial<Connection>, ...remove: (keyof Connection)[]) => {
    const merged = { ...(table.connection as Connection), ...next };
    for (const attribute of remove) delete merged[attribute];
    table.connection = merged;
    return true;
  };
  const grants: ConnectionGrants = {
    store: async (_id, grant, access) => {
      if (!table.connection) return undefined;
      const former = table.connection.grant;
      change({ grant, access }, 'refreshes', 'refresh_lease', 'reconnect_needed');
      return { former };
    },
    takeLease: async (read, grantId, { lease, refreshes, now }) => {
      const { access, refresh_lease, refreshes: before, reconnect_needed } = table.connection ?? {};
      if (!under(grantId) || access?.version !== read.access?.version || reconnect_needed) return false;
      if (refresh_lease && refresh_lease.until > now.toISOString()) return false;
      if (JSON.stringify(before) !== JSON.stringify(read.refreshes)) return false;
      return change({ refresh_lease: lease, refreshes });
    },
    recordRefresh: async (_id, grantId, holder, access) =>
      under(grantId) && held(holder) && change({ access }, 'refresh_lease'),
    holdBack: async (_id, grantId, lease, refreshes) =>
      under(grantId) && held(lease.holder) && change({ refresh_lease: lease, refreshes }),
    noteOrganizations: async (read, grant, settings) =>
      under(grant.id) &&
      JSON.stringify(table.connection?.settings) === JSON.stringify(read.settings) &&
      change({ grant, ...(settings && { settings }) }),
    markReconnectNeeded: async (_id, grantId, reconnect_needed, catch_up_from) =>
      under(grantId) &&
      change({ reconnect_needed, ...(catch_up_from && { catch_up_from }) }, 'access', 'refresh_lease'),
  };
  return { table, grants, connections: { get: async () => table.connection } };
}

/** Sealed texts are their own, with the connection's name before them. */
export const tokensInMemory = {
  seal: async (connectionId: string, token: string) => `${connectionId}:${token}`,
  open: async (connectionId: string, sealed: string) => {
    if (!sealed.startsWith(`${connectionId}:`)) throw new Error('sealed for another connection');
    return sealed.slice(connectionId.length + 1);
  },
};
