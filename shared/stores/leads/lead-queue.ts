import type { SQSClient } from '@aws-sdk/client-sqs';
import type { LeadEvent } from '../../messages/lead-event.ts';
import { type QueueSender, queueSender } from '../queue.ts';

/** Sends lead events. Each connection is a group of its own, so that its burst does not delay the others. */
export const leadQueue = (sqs: SQSClient, queueUrl: string): QueueSender<LeadEvent> =>
  queueSender(sqs, queueUrl, ({ connection_id }) => connection_id);
