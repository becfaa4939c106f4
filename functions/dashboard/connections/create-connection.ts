import * as z from 'zod/mini';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { createConnection as route } from '../../../shared/messages/dashboard/connections.ts';
import { createConnection } from '../../../shared/operations/connections/create-connection.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  PUBLIC_URL: z.url(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  // A new connection has no assistant; update-connection sets it.
  assistants: { get: async () => undefined, existing: () => undefined },
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, body }) => {
  const wanted = { org_id: member.org_id, type: body.type, auto_call: true };
  const created = await createConnection(deps, actor, wanted);
  if (created.kind === 'connection_exists') return declineAboutConnection(created.kind);
  if (created.kind !== 'created') throw new Error(created.kind);
  logger.appendKeys({ connection_id: created.connection.connection_id });
  const connection = viewForDashboard(created.connection, config.PUBLIC_URL);
  return answer(201, { connection, token: created.token ?? null });
});
