import * as z from 'zod/mini';
import { isOauthType } from '../../../shared/domain/connections/access/consent.ts';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { confirmConsent as route } from '../../../shared/messages/dashboard/connections.ts';
import { confirmConsent } from '../../../shared/operations/connections/confirm-consent.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { browserHashIn } from '../../../shared/runtime/dashboard/consent-cookie.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';
import { wireCrmBConsents, wireHelpDeskConsents } from '../../../shared/wiring/consents.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  HELP_DESK_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_TIMEOUT_MS: integer,
  HELP_DESK_API_URL: z.optional(z.url()),
  HELP_DESK_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const changes = wireAuditedChanges(config, db);
const ofType = {
  'crm-b': { ...changes, ...wireCrmBConsents(config, db) },
  'help-desk': { ...changes, ...wireHelpDeskConsents(config, db) },
};
const { connections } = ofType['crm-b'];
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, body, request }) => {
  const found = await findOwnConnection({ connections }, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  if (!isOauthType(found.type)) return declineAboutConnection('no_consent');
  const confirmed = await confirmConsent(ofType[found.type], found, {
    by: actor,
    consentId: body.consent_id,
    organizationId: body.organization_id,
    isOtherMeant: body.is_other_meant ?? false,
    browserHash: browserHashIn(request.cookies),
  });
  if (confirmed.kind !== 'connected') return declineAboutConnection(confirmed.kind);
  const now = (await connections.get(found.connection_id)) ?? found;
  const { channel, organization = null } = confirmed;
  return answer(200, { connection: viewForDashboard(now, config.PUBLIC_URL), channel, organization });
});
