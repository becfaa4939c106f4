import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { UnfinishedWork } from '../../domain/calls/call.ts';
import type { UnfinishedPosition } from './calls.ts';

export type RecoveryCursorStore = ReturnType<typeof recoveryCursors>;

const scopeOf = (work: UnfinishedWork) => ({ scope: `recovery#${work}` });

/** Where the last run of recover-calls stopped within the index of unfinished calls. On the Slots table. */
export function recoveryCursors(db: DynamoDBDocumentClient, table: string) {
  return {
    async get(work: UnfinishedWork): Promise<UnfinishedPosition | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: scopeOf(work) }));
      return Item && { call_id: String(Item.call_id), dial_by: String(Item.dial_by) };
    },

    async put(work: UnfinishedWork, { call_id, dial_by }: UnfinishedPosition): Promise<void> {
      await db.send(new PutCommand({ TableName: table, Item: { ...scopeOf(work), call_id, dial_by } }));
    },

    async clear(work: UnfinishedWork): Promise<void> {
      await db.send(new DeleteCommand({ TableName: table, Key: scopeOf(work) }));
    },
  };
}
