import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { callWork } from '../../shared/messages/call-work.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import { scheduleRelease } from '../../shared/operations/leads/schedule-release.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';
import { oneTimeSchedules } from '../../shared/stores/one-time-schedules.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  LEADS_QUEUE_URL: z.string(),
  LEADS_QUEUE_ARN: z.string(),
  LEAD_SCHEDULES_GROUP: z.string(),
  LEAD_SCHEDULES_ROLE_ARN: z.string(),
});

const deps = {
  calls: callStore(documentClient(), config.CALLS_TABLE),
  releaseAt: oneTimeSchedules<LeadEvent>(new SchedulerClient(bounded()), {
    group: config.LEAD_SCHEDULES_GROUP,
    queueArn: config.LEADS_QUEUE_ARN,
    roleArn: config.LEAD_SCHEDULES_ROLE_ARN,
  }),
  leadQueue: leadQueue(new SQSClient(bounded()), config.LEADS_QUEUE_URL),
  now: clock,
};

export const handler = queueWorker(callWork, ({ call_id }) => scheduleRelease(deps, call_id));
