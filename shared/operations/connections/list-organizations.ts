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
  const answer = await helpDeskOrganizations.list(accessTo(connection));
  switch (answer.kind) {
    case 'found':
      return { kind: 'listed', organizations: answer.organizations };
    case 'absent':
      return { kind: 'listed', organizations: [] };
    case 'refused':
      return { kind: 'refused', reason: answer.code };
    case 'reconnect_needed':
      return { kind: 'refused', reason: answer.reason };
    case 'unavailable':
      return { kind: 'unavailable', reason: answer.reason };
  }
}
