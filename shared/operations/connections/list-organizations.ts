import { AccessUnavailable, ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import type { Connection } from '../../domain/connections/connection.ts';
import type { GrantedOrganizations } from '../../domain/connections/help-desk-organization.ts';
import type { HelpDeskAccess } from '../../integrations/help-desk/help-desk.ts';
import type { HelpDeskOrganizations } from '../../integrations/help-desk/organizations.ts';

export type ListOrganizationsDeps = {
  helpDeskOrganizations: Pick<HelpDeskOrganizations, 'list'>;
  accessTo: (connection: Connection) => HelpDeskAccess;
};

/** The organizations of a grant. `unavailable`: a repeat may succeed. */
export type ListedOrganizations =
  | { kind: 'listed'; organizations: GrantedOrganizations }
  | { kind: 'refused' | 'unavailable'; reason: string };

/** Requests the organizations of a connection's grant from the help desk and stores nothing. */
export async function listOrganizations(
  { helpDeskOrganizations, accessTo }: ListOrganizationsDeps,
  connection: Connection,
): Promise<ListedOrganizations> {
  try {
    const answer = await helpDeskOrganizations.list(accessTo(connection));
    if (answer.kind === 'found') return { kind: 'listed', organizations: answer.organizations };
    if (answer.kind === 'absent') return { kind: 'listed', organizations: [] };
    return { kind: answer.kind, reason: answer.kind === 'refused' ? answer.code : answer.reason };
  } catch (error) {
    if (error instanceof ReconnectNeeded) return { kind: 'refused', reason: error.message };
    if (error instanceof AccessUnavailable) return { kind: 'unavailable', reason: error.message };
    throw error;
  }
}
