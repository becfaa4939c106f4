import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SwitchOff } from '../../messages/switch-off.ts';
import { type QueueSender, queueSender } from '../queue.ts';

/** Sends to the switch-offs queue. Each connection is a group of its own, so that its pages do not delay the others. */
export const switchOffQueue = (sqs: SQSClient, queueUrl: string): QueueSender<SwitchOff> =>
  queueSender(sqs, queueUrl, ({ connection_id }) => connection_id);
