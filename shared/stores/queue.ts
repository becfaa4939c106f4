import { SendMessageBatchCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

const MOST_DELAY_SECONDS = 900; // SQS, DelaySeconds
const MOST_ENTRIES = 10; // SQS, SendMessageBatch
const MOST_BYTES = 256 * 1024; // of a batch in the stricter of the quotas that SQS has had

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
      for (const batch of batchesOf(messages.map((message) => JSON.stringify(message)))) {
        const Entries = batch.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
        const { Failed } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
        if (Failed?.length) throw new Error(`the queue refused ${Failed.length} messages: ${Failed[0]?.Code}`);
      }
    },
  };
}

function batchesOf(bodies: readonly string[]): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const body of bodies) {
    const bytes = Buffer.byteLength(body);
    const last = batches.at(-1);
    if (last && last.length < MOST_ENTRIES && bytes <= room) last.push(body);
    else {
      batches.push([body]);
      room = MOST_BYTES;
    }
    room -= bytes;
  }
  return batches;
}
