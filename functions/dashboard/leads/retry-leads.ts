import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { retryLeads as route } from '../../../shared/messages/dashboard/leads.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { retryLeads } from '../../../shared/operations/leads/retry-leads.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutConnection } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { cursorOf, readCursor, writeCursor } from '../../../shared/runtime/dashboard/dashboard-input.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { leadQueue } from '../../../shared/stores/leads/lead-queue.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  LEAD_EVENTS_QUEUE_URL: z.string(),
});
const db = documentClient(quick);

const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  ...wireAuditedChanges(config, db),
  leadQueue: leadQueue(new SQSClient(quick), config.LEAD_EVENTS_QUEUE_URL),
};
const admit = wireAdmission(config, db);
const cursor = cursorOf('at', 'event_id');

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, body }) => {
  const connection = await findOwnConnection(deps, member.org_id, path.id);
  if (!connection) return declineAboutConnection('connection_not_found');
  if (connection.type === 'help-desk') return declineAboutConnection('no_leads');
  const after = readCursor(cursor, body.next);
  if (!after.ok) return after.answer;
  const { queued, next } = await retryLeads(deps, actor, connection, body, after.value);
  return answer(200, { queued, next: writeCursor(next) });
});
