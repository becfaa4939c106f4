import * as z from 'zod/mini';
import { crmBChoices } from '../../../shared/integrations/crm-b/choices.ts';
import { helpDeskChoices } from '../../../shared/integrations/help-desk/choices.ts';
import { helpDeskOrganizations } from '../../../shared/integrations/help-desk/organizations.ts';
import { listChoices as route } from '../../../shared/messages/dashboard/connections.ts';
import { listChoices } from '../../../shared/operations/connections/list-choices.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { clock, sleep } from '../../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireCrmB } from '../../../shared/wiring/crm-b.ts';
import { wireHelpDesk } from '../../../shared/wiring/help-desk.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  HELP_DESK_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_TIMEOUT_MS: integer,
  HELP_DESK_API_URL: z.optional(z.url()),
  HELP_DESK_TIMEOUT_MS: integer,
});
const db = documentClient();
const [crmB, helpDesk] = [wireCrmB(config, db), wireHelpDesk(config, db)];

const admit = wireAdmission(config, db);
const deps = {
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  crmB: crmBChoices(crmB.api),
  crmBAccessTo: crmB.accessAt(clock),
  helpDesk: helpDeskChoices(helpDesk.api),
  helpDeskOrganizations: helpDeskOrganizations(helpDesk.api),
  helpDeskAccessTo: helpDesk.accessAt(clock),
  sleep,
  warn: (message: string, facts: object) => logger.warn(message, { ...facts }),
};

export const handler = dashboardRoute(route, admit, async ({ member, path, query }) => {
  const found = await findOwnConnection(crmB, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  return answer(200, await listChoices(deps, found, query.organization_id));
});
