import { readSettings } from '../../../domain/after-call/tickets/ticket-content.ts';
import { refuseTicket, type TicketFacts } from '../../../domain/after-call/tickets/ticket-decision.ts';
import { type Connection, isConnected } from '../../../domain/connections/connection.ts';
import { connectionIdFor } from '../../../domain/ids.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import { type ResolveOrganizationDeps, resolveOrganization } from '../../connections/steps/organizations.ts';
import type { FinishedCall } from '../remote-writes/work-turn.ts';

export type TicketFactsDeps = ResolveOrganizationDeps & { connections: Pick<ConnectionStore, 'get'> };

/** The facts that decide about a call's ticket, and the connection through which it is written. */
export type GatheredTicket = TicketFacts & {
  call: FinishedCall;
  connectionId: string;
  connection: Connection | undefined;
};

/**
 * Gathers the facts about a call's ticket. Sends no request for a call that gets no ticket, or if requests are not
 * allowed.
 */
export async function gatherTicketFacts(
  deps: TicketFactsDeps,
  call: FinishedCall,
  { mayRequest }: { mayRequest: boolean },
): Promise<GatheredTicket> {
  const connectionId = connectionIdFor(call.org_id, 'help-desk');
  const stored = await deps.connections.get(connectionId);
  const settings = stored ? readSettings(stored.settings) : { error: 'the help-desk connection is gone' };
  const isAnswerable = stored !== undefined && isConnected(stored) && !refuseTicket({ call, settings });
  const connection = isAnswerable && mayRequest ? await resolveOrganization(deps, stored) : stored;
  return { call, connectionId, connection, settings, organization: organizationOf(connection) };
}

function organizationOf(connection: Connection | undefined): string | undefined {
  const { orgId } = connection?.settings ?? {};
  return typeof orgId === 'string' ? orgId : undefined;
}
