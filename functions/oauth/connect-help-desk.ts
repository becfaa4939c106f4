import * as z from 'zod/mini';
import { newToken } from '../../shared/domain/ids.ts';
import { helpDeskIdentity } from '../../shared/integrations/help-desk/identity.ts';
import { helpDeskOrganizations } from '../../shared/integrations/help-desk/organizations.ts';
import { helpDeskIdentityReader } from '../../shared/operations/connections/access/identity-readers.ts';
import { chooseOrganization } from '../../shared/operations/connections/choose-organization.ts';
import { completeConsent } from '../../shared/operations/connections/complete-consent.ts';
import { clock, sleep } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { oauthRoute } from '../../shared/runtime/oauth-route.ts';
import { oauthStateStore } from '../../shared/stores/connections/oauth-states.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../shared/stores/organizations/audit.ts';
import { wireHelpDesk } from '../../shared/wiring/help-desk.ts';

const config = readConfig({
  OAUTH_STATES_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  HELP_DESK_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_API_URL: z.optional(z.url()),
  HELP_DESK_API_URL: z.optional(z.url()),
  HELP_DESK_TIMEOUT_MS: integer,
  DASHBOARD_URL: z.url(),
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const helpDesk = wireHelpDesk(config, db);

const organizationDeps = {
  ...helpDesk,
  helpDeskOrganizations: helpDeskOrganizations(helpDesk.api),
  accessTo: helpDesk.accessAt(clock),
  warn: (message: string, facts: { connection_id: string; reason: string }) => logger.warn(message, facts),
};

const deps = {
  ...helpDesk,
  // The accounts servers name the API domain of CRM-B to the help desk as well.
  hosts: { accountsUrl: config.ZOHO_ACCOUNTS_URL, apiUrl: config.CRM_B_API_URL },
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  newToken,
  states: oauthStateStore(db, config.OAUTH_STATES_TABLE),
  readIdentity: helpDeskIdentityReader(helpDeskIdentity(helpDesk.api), config.HELP_DESK_API_URL),
  chooseOrganization: (connectionId: string) => chooseOrganization(organizationDeps, connectionId),
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
  now: clock,
  sleep,
};

export const handler = oauthRoute((callback) => completeConsent(deps, 'help-desk', callback), config.DASHBOARD_URL);
