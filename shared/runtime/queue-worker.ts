import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ZodMiniType } from 'zod/mini';
import type { ChangeVisibility } from '../stores/queue.ts';
import { idsIn, idsOfAll } from './logged-ids.ts';
import { logger } from './logger.ts';
import { countFailedWork } from './metrics.ts';

/**
 * Creates the Lambda handler of a queue. A record whose work throws stays on the queue and, after the last delivery,
 * moves to the dead-letter queue; the other records are deleted.
 * @param message schema of a record's body @param work returns a result for the log; throws to retry
 * @param options.hide delivers a failed message again after a back-off instead of the queue's visibility time-out
 */
export function queueWorker<T extends object>(
  message: ZodMiniType<T>,
  work: (message: T) => Promise<string>,
  { hide }: { hide?: ChangeVisibility } = {},
) {
  const workOn = async (record: SQSRecord) => {
    const parsed = readMessage(message, record);
    const ids = idsIn(parsed);
    try {
      logger.info('done', { ...ids, outcome: await work(parsed) });
    } catch (error) {
      logger.error('failed', { ...ids, error: error as Error });
      await hide?.(record.receiptHandle, visibilitySeconds(record)).catch((cause: unknown) =>
        logger.warn('a failed message keeps its time-out', { ...ids, error: cause as Error }),
      );
      throw error;
    }
  };
  return sqsHandler((event, context) =>
    processPartialResponse(event, workOn, new BatchProcessor(EventType.SQS), {
      context,
      throwOnFullBatchFailure: false,
    }),
  );
}

/**
 * Creates the Lambda handler of a queue whose messages only signal work: the readable messages of a batch are processed
 * together. If that throws, all of them stay on the queue.
 * @param message schema of a record's body @param work returns a result for the log; throws to retry
 */
export function batchWorker<T extends object>(message: ZodMiniType<T>, work: (messages: T[]) => Promise<string>) {
  return sqsHandler(async ({ Records }) => {
    const messages: T[] = [];
    const unreadable = Records.filter((record) => {
      try {
        messages.push(readMessage(message, record));
        return false;
      } catch {
        return true;
      }
    });
    const facts = () => ({ messages: messages.length, ...idsOfAll(messages) });
    const responseFor = (records: SQSRecord[]): SQSBatchResponse => ({
      batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })),
    });
    try {
      if (messages.length > 0) logger.info('done', { ...facts(), outcome: await work(messages) });
    } catch (error) {
      logger.error('failed', { ...facts(), error: error as Error });
      return responseFor(Records);
    }
    return responseFor(unreadable);
  });
}

const FIRST_HIDDEN_SECONDS = 60;
const LONGEST_HIDDEN_SECONDS = 15 * 60;

/**
 * Returns the wait before the next delivery: a minute after the first one, then four times the previous wait, up to 15
 * minutes.
 */
function visibilitySeconds({ attributes: { ApproximateReceiveCount } }: SQSRecord): number {
  const deliveries = Math.max(1, Number(ApproximateReceiveCount) || 1);
  return Math.min(LONGEST_HIDDEN_SECONDS, FIRST_HIDDEN_SECONDS * 4 ** (deliveries - 1));
}

const sqsHandler = (handle: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>) =>
  middy(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    logger.resetKeys();
    logger.appendKeys({ request_id: context.awsRequestId });
    const answer = await handle(event, context);
    // Lambda counts no error for messages that are reported as failed.
    if (answer.batchItemFailures.length > 0) countFailedWork(answer.batchItemFailures.length);
    return answer;
  });

function readMessage<T extends object>(message: ZodMiniType<T>, record: SQSRecord): T {
  try {
    return message.parse(JSON.parse(record.body));
  } catch (error) {
    // Logs only the error's name, because a parser's message quotes its input.
    logger.error('a message cannot be read', { message_id: record.messageId, error: (error as Error).name });
    throw new Error('unreadable message');
  }
}
