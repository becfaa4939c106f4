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
export function queueWorker<T extends { call_id?: string | undefined }>(
  message: ZodMiniType<T>,
  work: (message: T) => Promise<string>,
) {
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
    const { call_id } = parsed;
    try {
      logger.info('done', { call_id, outcome: await work(parsed) });
    } catch (error) {
      logger.error('failed', { call_id, error: error as Error });
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
