import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ZodMiniType } from 'zod/mini';
import { logger } from './logger.ts';

/**
 * The Lambda handler of a queue. A record whose work throws stays on the queue and, after the queue's last try, goes to
 * its dead letters; the others are done. So work throws to be tried again and returns to be done.
 * @param message what a record's body must be. @param work returns a word for the log.
 */
export function queueWorker<T extends object>(message: ZodMiniType<T>, work: (message: T) => Promise<string>) {
  const readMessage = (record: SQSRecord): T => {
    try {
      return message.parse(JSON.parse(record.body));
    } catch (error) {
      // Its name alone: what a parser says quotes what it read.
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

/** What a line of the log is found by. */
const idsIn = (message: object): object =>
  Object.fromEntries(Object.entries(message).filter(([name]) => /^(call|event|connection)_id$/.test(name)));
