import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import { batchesOf } from '../../../../shared/stores/batches.ts';
import { sendQuotas } from '../../../../shared/stores/queue.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { runScheduled } from '../../cloud/scheduled.ts';
import { noteOperatorAction } from '../../cloud/stage-log.ts';
import { Refusal } from '../../failures.ts';
import type { Source } from './depths.ts';
import { depthOf } from './depths.ts';

/** SQS receives, sends and deletes at most ten messages per request. */
const BATCH = 10;
const MAX_EMPTY_RECEIVES = 3;

/**
 * Empties the dead-letter queue of a source. SQS's own move task accepts only dead letters that SQS itself moved, not
 * those of rules, streams and schedules. A message that is sent but not deleted is processed twice, which is safe
 * because all workers are idempotent.
 * @returns the number of messages moved.
 */
export async function redriveSource(cloud: Cloud, source: Source): Promise<number> {
  const from = await cloud.queueUrl(cloud.named.deadLetters(source.name));
  // The limit stops messages that fail again from circulating.
  const { depth: limit } = await depthOf(cloud, from);
  if (limit === 0) return 0;
  await noteOperatorAction(cloud, 'dead_letters.repeated', source.name, { messages: limit });
  if (source.redo) await runScheduled(cloud, source.redo, cloud.now().toISOString());
  const to = source.queue && (await cloud.queueUrl(cloud.named.queue(source.queue)));
  let moved = 0;
  for (let emptyReceives = 0; moved < limit && emptyReceives < MAX_EMPTY_RECEIVES; ) {
    const messages = await receive(cloud, from, Math.min(BATCH, limit - moved));
    emptyReceives = messages.length === 0 ? emptyReceives + 1 : 0;
    if (messages.length === 0) continue;
    if (to) await send(cloud, to, messages);
    await remove(cloud, from, messages);
    moved += messages.length;
  }
  return moved;
}

async function receive(cloud: Cloud, QueueUrl: string, most: number): Promise<Message[]> {
  const { Messages = [] } = await cloud.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: most,
      MessageSystemAttributeNames: ['MessageGroupId'],
      WaitTimeSeconds: 1,
    }),
  );
  return Messages;
}

async function send(cloud: Cloud, QueueUrl: string, messages: Message[]): Promise<void> {
  const Entries = messages.map(({ Body = '', Attributes }, index) => ({
    Id: String(index),
    MessageBody: messageBody(Body),
    // Prevents one connection's dead letters from delaying another's leads (shared/stores/leads/lead-queue.ts).
    ...(Attributes?.MessageGroupId && { MessageGroupId: Attributes.MessageGroupId }),
  }));
  for (const batch of batchesOf(Entries, sendQuotas, ({ MessageBody }) => MessageBody)) {
    const { Failed } = await cloud.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: batch }));
    if (Failed?.length)
      throw new Refusal('unavailable', `SQS rejected ${Failed.length} messages: run queue redrive again.`);
  }
}

async function remove(cloud: Cloud, QueueUrl: string, messages: Message[]): Promise<void> {
  const Entries = messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  const { Failed } = await cloud.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  if (Failed?.length)
    throw new Refusal(
      'unavailable',
      `SQS did not delete ${Failed.length} dead letters that were already sent: check queue list again later.`,
    );
}

/**
 * Takes the detail of an event: for a message that a rule could not put on its queue, the dead letter contains the
 * whole event (EventBridge guide, "Dead-letter queues").
 */
function messageBody(body: string): string {
  try {
    const event: unknown = JSON.parse(body);
    const isEvent = typeof event === 'object' && event !== null && 'detail-type' in event && 'detail' in event;
    return isEvent ? JSON.stringify(event.detail) : body;
  } catch {
    return body;
  }
}
