import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { callSchema } from '../../domain/calls/call.ts';
import { shownSchemaOf } from '../../domain/newer-values.ts';
import { readByKeys } from '../dynamodb/reads-by-key.ts';

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

const names = Object.fromEntries(Object.keys(attributes).map((name) => [`#${name}`, name]));

/** Reads brief versions of many calls at once from the Calls table. */
export const callBriefs = (db: DynamoDBDocumentClient, table: string) => ({
  /** @returns the organization's calls that exist, by their ids. They may be a second old. */
  async get(orgId: string, callIds: readonly string[]): Promise<Map<string, CallBrief>> {
    const keys = callIds.map((call_id) => ({ call_id }));
    const projection = { ProjectionExpression: Object.keys(names).join(', '), ExpressionAttributeNames: names };
    const items = await readByKeys(db, table, keys, projection);
    // An erased call has no organization.
    const own = items.filter(({ org_id }) => org_id === orgId).map((item) => briefSchema.parse(item));
    return new Map(own.map((call) => [call.call_id, call]));
  },
});
