import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { callSchema } from '../../domain/calls/call.ts';
import { shownSchemaOf } from '../../domain/newer-values.ts';
import type { Item } from '../dynamodb/transaction.ts';

const attributes = {
  call_id: true,
  org_id: true,
  phone_number: true,
  status: true,
  ended_reason: true,
  created_at: true,
  scheduled_for: true,
  duration: true,
} as const;
const briefSchema = shownSchemaOf(z.pick(callSchema, attributes));

/** The attributes of a call that other records show. */
export type CallBrief = z.infer<typeof briefSchema>;

export type CallBriefs = ReturnType<typeof callBriefs>;

const MAX_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem

const names = Object.fromEntries(Object.keys(attributes).map((name) => [`#${name}`, name]));

/** Reads brief versions of many calls at once from the Calls table. */
export const callBriefs = (db: DynamoDBDocumentClient, table: string) => ({
  /** @returns the organization's calls that exist, by their ids. They may be a second old. */
  async get(orgId: string, callIds: readonly string[]): Promise<Map<string, CallBrief>> {
    const found = new Map<string, CallBrief>();
    let keys = [...new Set(callIds)].map((call_id): Item => ({ call_id }));
    while (keys.length > 0) {
      const wanted = {
        Keys: keys.slice(0, MAX_KEYS_OF_A_BATCH),
        ProjectionExpression: Object.keys(names).join(', '),
        ExpressionAttributeNames: names,
      };
      const answer = await db.send(new BatchGetCommand({ RequestItems: { [table]: wanted } }));
      // An erased call has no organization.
      const own = (answer.Responses?.[table] ?? []).filter(({ org_id }) => org_id === orgId);
      for (const call of own.map((item) => briefSchema.parse(item))) found.set(call.call_id, call);
      keys = [...keys.slice(MAX_KEYS_OF_A_BATCH), ...(answer.UnprocessedKeys?.[table]?.Keys ?? [])];
    }
    return found;
  },
});
