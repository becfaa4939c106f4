import * as z from 'zod/mini';
import { mayConfirm } from '../../../shared/domain/connections/access/pending-consent.ts';
import { viewEvent, viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { showConnection } from '../../../shared/messages/dashboard/connections.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { browserHashIn } from '../../../shared/runtime/dashboard/consent-cookie.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  PUBLIC_URL: z.url(),
});
const db = documentClient(quick);

const connections = connectionStore(db, config.CONNECTIONS_TABLE);
const assistants = assistantStore(db, config.ASSISTANTS_TABLE);
const activity = activityStore(db, config.ACTIVITY_TABLE);
const admit = wireAdmission(config, db);

const NEWEST = 5;

export const handler = dashboardRoute(showConnection, admit, async ({ member, actor, path, query, request }) => {
  const connection = await findOwnConnection({ connections }, member.org_id, path.id);
  if (!connection) return declineAboutConnection('connection_not_found');
  const { connection_id, assistant_id } = connection;
  const [assistant, events, awaited] = await Promise.all([
    assistant_id === undefined ? undefined : assistants.get(assistant_id),
    activity.list(connection_id, NEWEST),
    query.event_id === undefined ? undefined : activity.get(connection_id, query.event_id),
  ]);
  return answer(200, {
    connection: viewForDashboard(connection, config.PUBLIC_URL),
    assistant: assistant ? { id: assistant.assistant_id, name: assistant.name } : null,
    events: events.map(viewEvent),
    event: awaited ? viewEvent(awaited) : null,
    may_confirm: mayConfirm(connection, actor, browserHashIn(request.cookies), clock()),
  });
});
