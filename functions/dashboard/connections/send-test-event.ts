import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { sendTestEvent as route } from '../../../shared/messages/dashboard/connections.ts';
import { findOwnConnection } from '../../../shared/operations/connections/steps/find-own-connection.ts';
import { sendTestEvent } from '../../../shared/operations/leads/send-test-event.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import {
  answer,
  declineAboutConnection,
  declineTooManyAttempts,
} from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { leadQueue } from '../../../shared/stores/leads/lead-queue.ts';
import { rateLimitStore } from '../../../shared/stores/organizations/rate-limits.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  LEAD_EVENTS_QUEUE_URL: z.url(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  rateLimits: rateLimitStore(db, config.RATE_LIMITS_TABLE),
  ...wireAuditedChanges(config, db),
  leadQueue: leadQueue(new SQSClient(quick), config.LEAD_EVENTS_QUEUE_URL),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path, body, idempotencyKey }) => {
  const found = await findOwnConnection(deps, member.org_id, path.id);
  if (!found) return declineAboutConnection('connection_not_found');
  const { phone, owner, first_name: firstName } = body;
  const sent = await sendTestEvent(deps, actor, found, { phone, owner, firstName }, idempotencyKey);
  if (sent.kind === 'too_many') return declineTooManyAttempts(sent);
  return sent.kind === 'sent' ? answer(202, { event_id: sent.event_id }) : declineAboutConnection(sent.kind);
});
