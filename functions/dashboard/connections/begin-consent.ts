import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { hashOfBrowser, isOauthType, newOauthSecret } from '../../../shared/domain/connections/access/consent.ts';
import { crmBScopesFor } from '../../../shared/domain/connections/access/oauth-scopes.ts';
import { beginConsent as route } from '../../../shared/messages/dashboard/connections.ts';
import { beginConsent } from '../../../shared/operations/connections/begin-consent.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { bounded, quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { consentCookie } from '../../../shared/runtime/dashboard/consent-cookie.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { oauthClientReader } from '../../../shared/stores/connections/oauth-clients.ts';
import { oauthStateStore } from '../../../shared/stores/connections/oauth-states.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  OAUTH_STATES_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  HELP_DESK_OAUTH_SECRET_ID: z.string(),
  HELP_DESK_SCOPES: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  PUBLIC_URL: z.url(),
  DASHBOARD_URL: z.url(),
});
const db = documentClient(quick);
const secrets = new SecretsManagerClient(bounded());

const connections = connectionStore(db, config.CONNECTIONS_TABLE);
const admit = wireAdmission(config, db);
const ofType = {
  'crm-b': { clientOf: oauthClientReader(secrets, config.CRM_B_OAUTH_SECRET_ID), scopesFor: crmBScopesFor },
  'help-desk': {
    clientOf: oauthClientReader(secrets, config.HELP_DESK_OAUTH_SECRET_ID),
    scopesFor: () => config.HELP_DESK_SCOPES,
  },
};
const deps = {
  states: oauthStateStore(db, config.OAUTH_STATES_TABLE),
  hosts: { accountsUrl: config.ZOHO_ACCOUNTS_URL },
  publicUrl: config.PUBLIC_URL,
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, body }) => {
  const found = await findOwnConnection({ connections }, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  const { connection_id, org_id, type } = found;
  if (!isOauthType(type)) return declineAboutConnection('no_consent');
  const connection = { connection_id, org_id, type };
  const secret = newOauthSecret();
  const { clientOf, scopesFor } = ofType[type];
  const url = await beginConsent({ ...deps, clientOf, scopes: scopesFor(found) }, connection, body.data_center, {
    actor,
    connects: 'when_confirmed',
    browserHash: hashOfBrowser(secret),
  });
  if (url === undefined) return declineAboutConnection('client_not_set');
  return answer(201, { url }, { cookies: [consentCookie(config.DASHBOARD_URL, connection_id, secret)] });
});
