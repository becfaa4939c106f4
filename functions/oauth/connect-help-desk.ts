import * as z from 'zod/mini';
import { completeConsent } from '../../shared/operations/connections/complete-consent.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { oauthRoute } from '../../shared/runtime/oauth-route.ts';
import { oauthStateStore } from '../../shared/stores/connections/oauth-states.ts';
import { wireAuditedChanges } from '../../shared/wiring/audited-changes.ts';
import { wireHelpDeskConsents } from '../../shared/wiring/consents.ts';

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

const deps = {
  ...wireHelpDeskConsents(config, db),
  // The accounts servers name the API domain of CRM-B to the help desk as well.
  hosts: { accountsUrl: config.ZOHO_ACCOUNTS_URL, apiUrl: config.CRM_B_API_URL },
  ...wireAuditedChanges(config, db),
  states: oauthStateStore(db, config.OAUTH_STATES_TABLE),
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
};

export const handler = oauthRoute((callback) => completeConsent(deps, 'help-desk', callback), config.DASHBOARD_URL);
