import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { type CallWork, callWork } from '../../shared/messages/call-work.ts';
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
  LEAD_EVENTS_QUEUE_URL: z.string(),
  RELEASES_QUEUE_ARN: z.string(),
  RELEASE_SCHEDULES_GROUP: z.string(),
  RELEASE_SCHEDULES_ROLE_ARN: z.string(),
});

const deps = {
  calls: callStore(documentClient(), config.CALLS_TABLE),
  releaseAt: oneTimeSchedules<CallWork>(new SchedulerClient(bounded()), {
    group: config.RELEASE_SCHEDULES_GROUP,
    queueArn: config.RELEASES_QUEUE_ARN,
    roleArn: config.RELEASE_SCHEDULES_ROLE_ARN,
  }),
  leadQueue: leadQueue(new SQSClient(bounded()), config.LEAD_EVENTS_QUEUE_URL),
  now: clock,
};

export const handler = queueWorker(callWork, ({ call_id }) => scheduleRelease(deps, call_id));
