import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { claimExpiry } from '../../domain/calls/dialing/claim.ts';
import { type StoppedLead, stoppedLeadKey } from '../../domain/leads/stopped-lead.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { readItem } from '../dynamodb/reads.ts';

const stopSchema = z.object({
  lead: z.object({ owner_id: z.optional(z.string()), do_not_call: z.boolean() }),
  read_at: z.string(),
});

type LeadKey = { org_id: string; connection_id: string; lead_id: string };

export type StoppedLeadStore = ReturnType<typeof stoppedLeadStore>;

/**
 * Accesses the stopped leads in the Claims table, which removes them after the same time as claims.
 * @param hashOf the keyed hash of a lead's id
 */
export function stoppedLeadStore(
  db: DynamoDBDocumentClient,
  table: string,
  hashOf: (orgId: string, leadId: string) => Promise<string>,
) {
  const writes = conditionalTable(db, table);
  const keyOf = async ({ org_id, connection_id, lead_id }: LeadKey) =>
    stoppedLeadKey(connection_id, await hashOf(org_id, lead_id));
  return {
    /** Reads consistently. */
    async get(lead: LeadKey): Promise<StoppedLead | undefined> {
      const item = await readItem(db, table, { claim: await keyOf(lead) });
      return item && stopSchema.parse(item);
    },

    /** Stores a stop, unless a stop that is as new or newer is stored. */
    async note(key: LeadKey, stop: StoppedLead): Promise<void> {
      const { read_at } = stop;
      const item = { ...stop, claim: await keyOf(key), expires_at: claimExpiry(new Date(read_at)) };
      await writes.tryPut(item, [
        { expression: 'attribute_not_exists(claim) OR read_at < :read_at', values: { read_at } },
      ]);
    },
  };
}
