import {
  ChangeMessageVisibilityCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { batchesOf } from './batches.ts';

/** The longest delay of a message (SQS, `DelaySeconds`). */
export const MAX_DELAY_SECONDS = 900;
/** Quotas of SQS, SendMessageBatch. `bytes` is the lower one of its former and its current quota. */
export const sendQuotas = { entries: 10, bytes: 256 * 1024 };
const CONCURRENT_BATCHES = 10;

export type QueueSender<T> = {
  /** @param delaySeconds rounded up, 15 minutes at most; a negative one counts as 0. */
  send(message: T, delaySeconds?: number): Promise<void>;
  /** @throws after all requests have ended, if one failed. The queue may have accepted some of the messages. */
  sendMany(messages: readonly T[]): Promise<void>;
};

/**
 * Sends messages to one queue. It throws unless the queue accepts all of them.
 * @param groupOf the tenant of a message, on a shared queue: no tenant's burst delays the others (Amazon SQS developer
 * guide, "Fair queues").
 */
export function queueSender<T extends object>(
  sqs: SQSClient,
  queueUrl: string,
  groupOf?: (message: T) => string,
): QueueSender<T> {
  const entryOf = (message: T) => ({
    MessageBody: JSON.stringify(message),
    ...(groupOf && { MessageGroupId: groupOf(message) }),
  });

  const sendBatch = async (batch: ReturnType<typeof entryOf>[]) => {
    const Entries = batch.map((entry, index) => ({ Id: String(index), ...entry }));
    const { Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    if (Failed?.length) throw new Error(`the queue refused ${Failed.length} messages: ${Failed[0]?.Code}`);
  };

  return {
    async send(message, delaySeconds = 0) {
      const DelaySeconds = Math.max(0, Math.min(MAX_DELAY_SECONDS, Math.ceil(delaySeconds)));
      await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, ...entryOf(message), DelaySeconds }));
    },

    async sendMany(messages) {
      const left = batchesOf(messages.map(entryOf), sendQuotas, ({ MessageBody }) => MessageBody);
      // A failure ends only its own lane, so that a retry has fewer messages to send.
      const lane = async () => {
        for (let batch = left.shift(); batch; batch = left.shift()) await sendBatch(batch);
      };
      const lanes = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENT_BATCHES, left.length) }, lane));
      const failed = lanes.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
  };
}

/** Delays the next delivery of a received message. @param seconds from now, 12 hours at most. */
export type ChangeVisibility = (receiptHandle: string, seconds: number) => Promise<void>;

export const visibilityChanger =
  (sqs: SQSClient, queueUrl: string): ChangeVisibility =>
  async (ReceiptHandle, VisibilityTimeout) => {
    await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout }));
  };
