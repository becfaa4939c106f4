import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { idsIn, idsOfAll } from './logged-ids.ts';
import { logger } from './logger.ts';
import { countFailedWork } from './metrics.ts';

/** One change of an item; `before` is absent for a new item. */
export type StreamChange<T> = { sequenceNumber: string; before: T | undefined; after: T };

/**
 * Creates the Lambda handler of a table's stream. Order matters: the batch is redelivered from the first unprocessed
 * change. Lambda splits a batch at the sequence number that the function returns, and halves it only after an error
 * (AWS, "Configuring partial batch response with DynamoDB and Lambda"). The handler therefore throws if the first
 * change of a batch fails: Lambda then halves the batch down to that change, and sends only this one to the on-failure
 * queue.
 * @param parse returns undefined for an item whose changes cause no work
 * @param work returns the sequence number to restart from; undefined if all is done
 * @param afterRemoval handles a removed item, which is not parsed. It may run twice
 */
export function streamWorker<T>(
  parse: (item: Record<string, unknown>) => T | undefined,
  work: (changes: StreamChange<T>[]) => Promise<string | undefined>,
  afterRemoval?: (removed: Record<string, unknown>) => Promise<void>,
) {
  const readImage = (image: Record<string, unknown> | undefined) => image && parse(itemOf(image));

  return middy(async (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> => {
    logger.resetKeys();
    logger.appendKeys({ request_id: context.awsRequestId });
    const changes: StreamChange<T>[] = [];
    let failed: string | undefined;
    for (const record of event.Records) {
      const { dynamodb, eventName } = record;
      const sequenceNumber = dynamodb?.SequenceNumber ?? '';
      try {
        if (eventName === 'REMOVE') {
          if (afterRemoval && dynamodb?.OldImage) await afterRemoval(itemOf(dynamodb.OldImage));
          continue;
        }
        const after = readImage(dynamodb?.NewImage);
        if (after) changes.push({ sequenceNumber, before: readImage(dynamodb?.OldImage), after });
      } catch (error) {
        const facts = { ...idsIn(keyOf(record)), sequence_number: sequenceNumber, error: (error as Error).name };
        logger.error('a change cannot be processed', facts);
        failed = sequenceNumber;
        break;
      }
    }
    const again = (await work(changes)) ?? failed;
    logger.info('done', {
      ...idsOfAll(event.Records.map(keyOf)),
      changes: changes.length,
      again: again !== undefined,
    });
    if (again !== undefined) countFailedWork(1);
    if (again !== undefined && again === event.Records[0]?.dynamodb?.SequenceNumber)
      throw new Error('the first change of the batch failed');
    return { batchItemFailures: again === undefined ? [] : [{ itemIdentifier: again }] };
  });
}

const itemOf = (image: Record<string, unknown>): Record<string, unknown> =>
  unmarshall(image as Record<string, AttributeValue>);

const keyOf = ({ dynamodb }: DynamoDBRecord): Record<string, unknown> =>
  unmarshall((dynamodb?.Keys ?? {}) as Record<string, AttributeValue>);
