import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isErased } from '../../domain/calls/retention/erased-item.ts';
import { mayBeId } from '../../domain/ids.ts';
import { readItem } from '../dynamodb/reads.ts';
import type { Item } from '../dynamodb/transaction.ts';

/**
 * Builds a reader of a part of a call, because the schema of the whole call takes milliseconds of a cold start. It
 * reads consistently; an erased call no longer exists.
 */
export const callPart =
  <Part>(db: DynamoDBDocumentClient, table: string, parse: (item: Item) => Part) =>
  async (callId: string): Promise<Part | undefined> => {
    const item = mayBeId(callId) ? await readItem(db, table, { call_id: callId }) : undefined;
    return item && !isErased(item) ? parse(item) : undefined;
  };
