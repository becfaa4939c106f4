import type { NoEffect } from '../../../domain/after-call/remote-writes/write-outcome.ts';
import { otherOrganization } from '../../../domain/after-call/tickets/ticket-decision.ts';
import { type Connection, isConnected } from '../../../domain/connections/connection.ts';
import type { HelpDeskAccess } from '../../../integrations/help-desk/help-desk.ts';
import type { GatheredTicket } from './ticket-facts.ts';

export type HelpDeskDeps = { accessTo: (connection: Connection) => HelpDeskAccess };

type NoHelpDesk = NoEffect | { kind: 'impossible'; reason: string };

/**
 * Runs `request` with the access to the organization of the help desk that the ticket belongs to. Takes the access
 * token first: without one, no mark is stored and no request is sent.
 */
export async function withHelpDesk<Result>(
  deps: HelpDeskDeps,
  facts: GatheredTicket,
  request: (access: HelpDeskAccess) => Promise<Result>,
): Promise<Result | NoHelpDesk> {
  const { connection } = facts;
  if (!connection || !isConnected(connection))
    return { kind: 'reconnect_needed', reason: 'the help desk is not connected' };
  const reason = otherOrganization(facts);
  if (reason !== undefined) return { kind: 'impossible', reason };
  const access = withinOrganization(deps.accessTo(connection), facts.organization);
  const token = await access.token();
  return token.kind === 'token' ? request(access) : token;
}

/**
 * Limits an access to one organization of the help desk. The connection may be read again for its token; if it then
 * names another organization, `orgId` becomes undefined, so that no request names that one.
 */
const withinOrganization = (access: HelpDeskAccess, organization: string | undefined): HelpDeskAccess => ({
  get host() {
    return access.host;
  },
  get orgId() {
    return access.orgId === organization ? organization : undefined;
  },
  token: access.token,
});
