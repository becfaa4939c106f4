import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { CallbackWork } from '../../../shared/messages/callback-work.ts';
import { resendCallback as route } from '../../../shared/messages/dashboard/call-actions.ts';
import { resendCallback } from '../../../shared/operations/after-call/resend-callback.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutCall } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { callbackStore } from '../../../shared/stores/after-call/callbacks.ts';
import { queueSender } from '../../../shared/stores/queue.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireAuditedChanges } from '../../../shared/wiring/audited-changes.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CALLBACKS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CALLBACKS_QUEUE_URL: z.string(),
});
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = {
  callbacks: callbackStore(db, config.CALLBACKS_TABLE),
  callbackQueue: queueSender<CallbackWork>(new SQSClient(quick), config.CALLBACKS_QUEUE_URL),
  ...wireAuditedChanges(config, db),
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path }) => {
  const of = { org_id: member.org_id, call_id: path.id ?? '', webhook_id: path.webhookId ?? '' };
  const state = await resendCallback(deps, actor, of);
  return state === 'callback_not_found' ? declineAboutCall(state) : answer(202, { state });
});
