import * as z from 'zod/mini';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { unlisted } from '../../../shared/domain/connections/help-desk-organization.ts';
import { helpDeskOrganizations } from '../../../shared/integrations/help-desk/organizations.ts';
import { updateConnection as route } from '../../../shared/messages/dashboard/connections.ts';
import { listOrganizations } from '../../../shared/operations/connections/list-organizations.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { updateConnection } from '../../../shared/operations/connections/update-connection.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import {
  answer,
  decline,
  declineAboutConnection,
  noSuchAssistant,
} from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';
import { wireHelpDesk } from '../../../shared/wiring/help-desk.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  HELP_DESK_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  HELP_DESK_API_URL: z.optional(z.url()),
  HELP_DESK_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const helpDesk = wireHelpDesk(config, db);
const organizationDeps = {
  helpDeskOrganizations: helpDeskOrganizations(helpDesk.api),
  accessTo: helpDesk.accessAt(clock),
};

const admit = wireAdmission(config, db);
const deps = {
  connections: helpDesk.connections,
  grants: helpDesk.grants,
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  ...wireAuditedChanges(config, db),
  listOrganizations: (connection: Connection) => listOrganizations(organizationDeps, connection),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, body }) => {
  const found = await findOwnConnection(deps, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  const { revision, ...edit } = body;
  const result = await updateConnection(deps, actor, found, edit, revision);
  switch (result.kind) {
    case 'updated': {
      const connection = viewForDashboard(result.connection, config.PUBLIC_URL);
      return answer(200, { connection, note: result.unlisted === undefined ? null : unlisted(result.unlisted) });
    }
    case 'invalid_settings': {
      const fields = result.issues.map(({ path: name, message }) => ({ path: `settings.${name}`, message }));
      return decline({ error: 'invalid_request', message: 'Some of the settings cannot be used.', fields });
    }
    case 'assistant_not_found':
    case 'assistant_wrong_org':
      return noSuchAssistant();
    case 'changed_meanwhile':
    case 'connection_not_found':
      return declineAboutConnection(result.kind);
  }
});
