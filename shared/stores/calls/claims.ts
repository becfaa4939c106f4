import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { LeadClaim } from '../../domain/calls/lead-claims.ts';
import type { Write } from '../dynamodb/transaction.ts';

export type ClaimStore = ReturnType<typeof claimStore>;

/** The Claims table: what an event owns until a day's end. The conditions of its writes make a lost race a no-op. */
export function claimStore(db: DynamoDBDocumentClient, table: string) {
  return {
    /** Reads consistently. @returns the ids of the events that own these claims, by key. */
    async owners(keys: readonly string[]): Promise<Map<string, string>> {
      const Keys = [...new Set(keys)].map((claim) => ({ claim }));
      const { Responses, UnprocessedKeys } = await db.send(
        new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: true } } }),
      );
      if (UnprocessedKeys?.[table]) throw new Error('DynamoDB throttled the read of claims');
      return new Map((Responses?.[table] ?? []).map(({ claim, event_id }) => [String(claim), String(event_id)]));
    },

    /** Reads consistently. @returns the event that owns the claim, and since when. */
    async owner(claim: string): Promise<Pick<LeadClaim, 'event_id' | 'at'> | undefined> {
      const { Item } = await db.send(new GetCommand({ TableName: table, Key: { claim }, ConsistentRead: true }));
      return Item && { event_id: String(Item.event_id), at: String(Item.at) };
    },

    /** Takes a claim that nobody owns, or that somebody took before `until`; the owner's own may be taken again. */
    takingSince: (claim: LeadClaim, until: string): Write => ({
      Put: {
        TableName: table,
        Item: claim,
        ConditionExpression: 'attribute_not_exists(claim) OR event_id = :event OR #at <= :until',
        ExpressionAttributeNames: { '#at': 'at' },
        ExpressionAttributeValues: { ':event': claim.event_id, ':until': until },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    }),

    /** Takes a claim; refused, with the claim as it stands, where any event owns it. */
    taking: (claim: LeadClaim): Write => ({
      Put: {
        TableName: table,
        Item: claim,
        ConditionExpression: 'attribute_not_exists(claim)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    }),

    /** Gives a claim up; one that is gone already is given up. Refused where another event owns it. */
    freeing: (key: string, eventId: string): Write => ({
      Delete: {
        TableName: table,
        Key: { claim: key },
        ConditionExpression: 'attribute_not_exists(claim) OR event_id = :event',
        ExpressionAttributeValues: { ':event': eventId },
      },
    }),
  };
}
