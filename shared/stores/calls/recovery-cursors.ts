import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { UnfinishedWork } from '../../domain/calls/call.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { UnfinishedPosition } from './calls.ts';

export type RecoveryCursorStore = ReturnType<typeof recoveryCursors>;

const keyOf = (work: UnfinishedWork) => ({ scope: `recovery#${work}` });

/**
 * Accesses the position at which the last run of recover-calls stopped in the index of unfinished calls. It is stored
 * in the Slots table.
 */
export function recoveryCursors(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    async get(work: UnfinishedWork): Promise<UnfinishedPosition | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: keyOf(work) }));
      return Item?.call_id && { call_id: String(Item.call_id), dial_by: String(Item.dial_by) };
    },

    /** @param position undefined if the last run completed a round. */
    async put(work: UnfinishedWork, position: UnfinishedPosition | undefined): Promise<void> {
      const { call_id, dial_by } = position ?? {};
      await writes.tryUpdate(
        keyOf(work),
        position ? { set: { call_id, dial_by } } : { remove: ['call_id', 'dial_by'] },
        [],
      );
    },
  };
}
