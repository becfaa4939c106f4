import { KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod/mini';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { zohoAccounts } from '../../../shared/integrations/zoho-accounts/accounts.ts';
import { refuseConsent as route } from '../../../shared/messages/dashboard/connections.ts';
import { refuseConsent } from '../../../shared/operations/connections/refuse-consent.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { bounded, quick } from '../../../shared/runtime/aws.ts';
import { sleep } from '../../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { connectionGrants } from '../../../shared/stores/connections/connection-grants.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { oauthTokens } from '../../../shared/stores/connections/oauth-tokens.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient(quick);
const connections = connectionStore(db, config.CONNECTIONS_TABLE);
const deps = {
  ...wireAuditedChanges(config, db),
  grants: connectionGrants(db, config.CONNECTIONS_TABLE),
  tokens: oauthTokens(new KMSClient(bounded()), config.OAUTH_TOKENS_KEY_ID),
  accounts: zohoAccounts({ timeoutMs: config.ZOHO_ACCOUNTS_TIMEOUT_MS, accountsUrl: config.ZOHO_ACCOUNTS_URL }),
  sleep,
};
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, body }) => {
  const found = await findOwnConnection({ connections }, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  const refused = await refuseConsent(deps, found, { by: actor, consentId: body.consent_id });
  if (!refused) return declineAboutConnection('no_pending_consent');
  const now = (await connections.get(found.connection_id)) ?? found;
  return answer(200, { connection: viewForDashboard(now, config.PUBLIC_URL), is_revoked: refused.isRevoked });
});
