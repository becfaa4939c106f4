import * as z from 'zod/mini';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { crmBWatch } from '../../../shared/integrations/crm-b/watch.ts';
import { replaceToken as route } from '../../../shared/messages/dashboard/connections.ts';
import { armingWith, replaceToken } from '../../../shared/operations/connections/replace-token.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { connectionChannelStore } from '../../../shared/stores/connections/connection-channels.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';
import { wireCrmB } from '../../../shared/wiring/crm-b.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_TIMEOUT_MS: integer,
  PUBLIC_URL: z.url(),
});
const db = documentClient();
const crmB = wireCrmB(config, db);

const admit = wireAdmission(config, db);
const deps = {
  connections: crmB.connections,
  ...wireAuditedChanges(config, db),
  armChannel: armingWith({
    connections: crmB.connections,
    channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
    watch: crmBWatch(crmB.api),
    accessTo: crmB.accessAt(clock),
    publicUrl: config.PUBLIC_URL,
    now: clock,
    warn: (message, facts) => logger.warn(message, facts),
  }),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path }) => {
  const found = await findOwnConnection(deps, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  const replaced = await replaceToken(deps, actor, found);
  if (replaced.kind !== 'replaced') return declineAboutConnection(replaced.kind);
  const now = (await deps.connections.get(found.connection_id)) ?? found;
  return answer(200, { connection: viewForDashboard(now, config.PUBLIC_URL), token: replaced.token ?? null });
});
