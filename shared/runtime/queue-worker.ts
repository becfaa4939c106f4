import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ZodMiniType } from 'zod/mini';
import { logger } from './logger.ts';

/**
 * Makes the Lambda handler of a queue. A record whose work throws stays on the queue and, after the last delivery,
 * moves to the dead-letter queue; the other records are done.
 * @param message schema of a record's body. @param work returns a result for the log; throws to retry.
 */
export function queueWorker<T extends object>(message: ZodMiniType<T>, work: (message: T) => Promise<string>) {
  const readMessage = (record: SQSRecord): T => {
    try {
      return message.parse(JSON.parse(record.body));
    } catch (error) {
      // Only the error's name: a parser's message quotes its input.
      logger.error('a message cannot be read', { message_id: record.messageId, error: (error as Error).name });
      throw new Error('unreadable message');
    }
  };

  const workOn = async (record: SQSRecord) => {
    const parsed = readMessage(record);
    const ids = idsIn(parsed);
    try {
      logger.info('done', { ...ids, outcome: await work(parsed) });
    } catch (error) {
      logger.error('failed', { ...ids, error: error as Error });
      throw error;
    }
  };
  return middy(async (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    logger.resetKeys();
    logger.appendKeys({ request_id: context.awsRequestId });
    return processPartialResponse(event, workOn, new BatchProcessor(EventType.SQS), {
      context,
      throwOnFullBatchFailure: false,
    });
  });
}

/** Ids that log lines are searched by. */
const idsIn = (message: object): object =>
  Object.fromEntries(Object.entries(message).filter(([name]) => /^(call|event|connection)_id$/.test(name)));
