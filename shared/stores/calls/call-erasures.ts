import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../domain/calls/call.ts';
import { terminalStatuses } from '../../domain/calls/call-status.ts';
import { isErased, type Tombstone, tombstoneSchema } from '../../domain/calls/erased-call.ts';
import { waitingTurnAttributes } from '../../domain/calls/waiting-turn.ts';
import { mayBeId } from '../../domain/ids.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Write } from '../dynamodb/transaction.ts';
import { exists, oneOf } from './call-conditions.ts';
import { parseCall } from './call-item.ts';

export type CallErasures = ReturnType<typeof callErasures>;

/** `call` is absent where its erasure is done. */
export type Erasable = { tombstone?: Tombstone; call?: Call };

/**
 * The part of the Calls table that erases a call, in two writes. The first hides the call from every reader and refuses
 * the writes of every worker, but leaves what the erasure has to find; the last leaves a tombstone.
 */
export function callErasures(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads a call, also an erased one. Reads consistently. */
    async get(callId: string): Promise<Erasable | undefined> {
      if (!mayBeId(callId)) return undefined;
      const key = { call_id: callId };
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: key, ConsistentRead: true }));
      if (!Item) return undefined;
      if (!isErased(Item)) return { call: parseCall(Item) };
      const tombstone = tombstoneSchema.parse(Item);
      if (tombstone.erasure_done_at !== undefined) return { tombstone };
      return { tombstone, call: parseCall({ ...Item, org_id: tombstone.erased_of }) };
    },

    /** Refused where the call has not ended, or its erasure has begun. */
    beginning: ({ call_id, ...tombstone }: Tombstone): Write =>
      writes.update(
        { call_id },
        {
          set: tombstone,
          remove: ['org_id', 'unfinished', ...waitingTurnAttributes],
        },
        [exists, oneOf('status', terminalStatuses)],
      ),

    /** Replaces a call whose erasure has begun by its tombstone. @returns false where it has one. */
    end: (tombstone: Tombstone): Promise<boolean> =>
      writes.tryPut(tombstone, [
        { expression: 'attribute_exists(erased_at) AND attribute_not_exists(erasure_done_at)' },
      ]),

    /** Notes that the voice platform has nothing of the call any more. */
    notePlatform: (callId: string): Promise<boolean> =>
      writes.tryUpdate({ call_id: callId }, { remove: ['platform_ids'] }, [
        { expression: 'attribute_exists(erasure_done_at)' },
      ]),
  };
}
