import * as z from 'zod/mini';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { crmBWatch } from '../../../shared/integrations/crm-b/watch.ts';
import { disconnectConnection as route } from '../../../shared/messages/dashboard/connections.ts';
import { disconnectConnection } from '../../../shared/operations/connections/disconnect-connection.ts';
import { endConsent } from '../../../shared/operations/connections/steps/end-consent.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { clock, sleep } from '../../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { connectionChannelStore } from '../../../shared/stores/connections/connection-channels.ts';
import type { Write } from '../../../shared/stores/dynamodb/transaction.ts';
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

const changes = wireAuditedChanges(config, db);
// Also serves the help desk: it has no watch channel, and its grant is revoked like CRM-B's.
const consentDeps = {
  ...crmB,
  transact: changes.transact,
  channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
  watch: crmBWatch(crmB.api),
  sleep,
  accessTo: crmB.accessAt(clock),
  warn: (message: string, facts: { connection_id: string; reason: string }) => logger.warn(message, facts),
};
const deps = {
  connections: crmB.connections,
  ...changes,
  endConsent: (connection: Connection, extraWrite: Write) => endConsent(consentDeps, connection, extraWrite),
};
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member, actor, path }) => {
  const found = await findOwnConnection(deps, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  const ended = await disconnectConnection(deps, actor, found);
  if (ended.kind !== 'disconnected') return declineAboutConnection(ended.kind);
  const now = (await deps.connections.get(found.connection_id)) ?? found;
  return answer(200, { connection: viewForDashboard(now, config.PUBLIC_URL), provider: ended.provider ?? null });
});
