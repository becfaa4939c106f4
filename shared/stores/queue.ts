import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

const MOST_DELAY_SECONDS = 900; // SQS, DelaySeconds
const MOST_ENTRIES = 10; // SQS, SendMessageBatch

export type QueueSender<T> = {
  /** @param delaySeconds rounded up, 15 minutes at most. */
  send(message: T, delaySeconds?: number): Promise<void>;
  sendMany(messages: readonly T[]): Promise<void>;
};

/** Puts messages on one queue; throws unless the queue took every one. */
export function queueSender<T extends object>(sqs: SQSClient, queueUrl: string): QueueSender<T> {
  return {
    async send(message, delaySeconds = 0) {
      const DelaySeconds = Math.min(MOST_DELAY_SECONDS, Math.ceil(delaySeconds));
      await sqs.send(
        new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify(message), DelaySeconds }),
      );
    },

    async sendMany(messages) {
      for (let start = 0; start < messages.length; start += MOST_ENTRIES) {
        const Entries = messages
          .slice(start, start + MOST_ENTRIES)
          .map((message, index) => ({ Id: String(index), MessageBody: JSON.stringify(message) }));
        const { Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
        if (Failed?.length) throw new Error(`the queue refused ${Failed.length} messages: ${Failed[0]?.Code}`);
      }
    },
  };
}
