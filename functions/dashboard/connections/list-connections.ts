import * as z from 'zod/mini';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { viewNewerConnection } from '../../../shared/domain/connections/newer-connection.ts';
import { listConnections } from '../../../shared/messages/dashboard/connections.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), CONNECTIONS_TABLE: z.string(), PUBLIC_URL: z.url() });
const db = documentClient(quick);

const connections = connectionStore(db, config.CONNECTIONS_TABLE);
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(listConnections, admit, async ({ member }) => {
  const { known, newer } = await connections.listToShow(member.org_id);
  return answer(200, {
    items: known.map((one) => viewForDashboard(one, config.PUBLIC_URL)),
    newer: newer.map(viewNewerConnection),
  });
});
