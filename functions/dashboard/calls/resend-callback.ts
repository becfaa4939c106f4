import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { newToken } from '../../../shared/domain/ids.ts';
import type { CallbackWork } from '../../../shared/messages/callback-work.ts';
import { resendCallback as route } from '../../../shared/messages/dashboard/call-actions.ts';
import { resendCallback } from '../../../shared/operations/after-call/resend-callback.ts';
import { memberAdmission } from '../../../shared/operations/organizations/members/admit-member.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineAboutCall } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { callbackStore } from '../../../shared/stores/after-call/callbacks.ts';
import { transactions } from '../../../shared/stores/dynamodb/transaction.ts';
import { auditStore } from '../../../shared/stores/organizations/audit.ts';
import { memberStore } from '../../../shared/stores/organizations/members.ts';
import { queueSender } from '../../../shared/stores/queue.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  CALLBACKS_TABLE: z.string(),
  AUDIT_TABLE: z.string(),
  CALLBACKS_QUEUE_URL: z.string(),
});
const db = documentClient(quick);

const admit = memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });
const deps = {
  callbacks: callbackStore(db, config.CALLBACKS_TABLE),
  callbackQueue: queueSender<CallbackWork>(new SQSClient(quick), config.CALLBACKS_QUEUE_URL),
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  now: clock,
  newToken,
};

export const handler = dashboardRoute(route, admit, async ({ member, actor, path }) => {
  const of = { org_id: member.org_id, call_id: path.id ?? '', webhook_id: path.webhookId ?? '' };
  const state = await resendCallback(deps, actor, of);
  return state === 'callback_not_found' ? declineAboutCall(state) : answer(202, { state });
});
