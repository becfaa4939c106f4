import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Claim } from '../../domain/calls/claim.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Write } from '../dynamodb/transaction.ts';

export type ClaimStore = ReturnType<typeof claimStore>;

/** The Claims table. A conditional write decides every race for a claim. */
export function claimStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Reads consistently. @param keys at most 100. @returns the ids of the owners, by key; a free claim is absent. */
    async owners(keys: readonly string[]): Promise<Map<string, string>> {
      const Keys = [...new Set(keys)].map((claim) => ({ claim }));
      const { Responses, UnprocessedKeys } = await db.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
      );
      if (UnprocessedKeys?.[table]) throw new Error('DynamoDB throttled the read of claims');
      return new Map((Responses?.[table] ?? []).map(({ claim, owner_id }) => [String(claim), String(owner_id)]));
    },

    /** Reads consistently. */
    async owner(claim: string): Promise<Pick<Claim, 'owner_id' | 'at'> | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: { claim }, ConsistentRead: true }));
      return Item && { owner_id: String(Item.owner_id), at: String(Item.at) };
    },

    /** Refused, with the stored claim, where it has an owner. */
    taking: (claim: Claim): Write => writes.put(claim, [{ expression: 'attribute_not_exists(claim)' }], 'ALL_OLD'),

    /** Takes a claim that is free, that its owner already holds, or that was taken before `until`. */
    takingSince: (claim: Claim, until: string): Write =>
      writes.put(
        claim,
        [
          {
            expression: 'attribute_not_exists(claim) OR owner_id = :owner OR #at <= :until',
            values: { owner: claim.owner_id, until },
          },
        ],
        'ALL_OLD',
      ),

    /** A no-op for a free claim. Refused where another owner holds it. */
    freeing: (key: string, ownerId: string): Write =>
      writes.delete({ claim: key }, [
        { expression: 'attribute_not_exists(claim) OR owner_id = :owner', values: { owner: ownerId } },
      ]),
  };
}
