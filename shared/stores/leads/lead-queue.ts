import type { SQSClient } from '@aws-sdk/client-sqs';
import type { LeadEvent } from '../../messages/lead-event.ts';
import { type QueueSender, queueSender } from '../queue.ts';

/** The queue that all connections' leads take: a burst of one connection does not hold up the leads of another. */
export const leadQueue = (sqs: SQSClient, queueUrl: string): QueueSender<LeadEvent> =>
  queueSender(sqs, queueUrl, ({ connection_id }) => connection_id);
