import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Claim } from '../../domain/calls/dialing/claim.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { readItem } from '../dynamodb/reads.ts';
import { readByKeys } from '../dynamodb/reads-by-key.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';

export type ClaimStore = ReturnType<typeof claimStore>;

/** Accesses the Claims table. A conditional write decides every race for a claim. */
export function claimStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);

  const keysOf = (claims: readonly string[]) => claims.map((claim) => ({ claim }));

  /** Reads consistently. @returns the claims that have an owner, by key */
  async function held(keys: readonly string[]): Promise<Map<string, Claim>> {
    const items = await readByKeys(db, table, keysOf(keys), { ConsistentRead: true });
    return new Map(items.map(parse).map((claim) => [claim.claim, claim]));
  }

  return {
    held,

    /** Reads consistently. @returns the ids of the owners, by key; a free claim is absent */
    async owners(keys: readonly string[]): Promise<Map<string, string>> {
      return new Map([...(await held(keys))].map(([key, { owner_id }]) => [key, owner_id]));
    },

    /** Reads the calls that these claims serve. A claim may be slightly stale. */
    async callsOf(keys: readonly string[]): Promise<string[]> {
      const items = await readByKeys(db, table, keysOf(keys));
      return [...new Set(items.map(({ call_id }) => String(call_id)))];
    },

    /** Reads consistently. */
    async owner(claim: string): Promise<Pick<Claim, 'owner_id' | 'at'> | undefined> {
      const item = await readItem(db, table, { claim });
      return item && { owner_id: String(item.owner_id), at: String(item.at) };
    },

    /** Takes a claim. Refused, with the stored claim, if it has an owner. */
    taking: (claim: Claim): Write => writes.put(claim, [{ expression: 'attribute_not_exists(claim)' }], 'ALL_OLD'),

    /** Takes a claim that is free, that its owner already holds, or that was taken at `until` or earlier. */
    takingUnlessHeldSince: (claim: Claim, until: string): Write =>
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

    /** Writes a claim in place of an older one. */
    noting: (claim: Claim): Write => writes.put(claim, []),

    /** Refuses the transaction if a claim has an owner. */
    requiringFree: (key: string): Write =>
      writes.check({ claim: key }, [{ expression: 'attribute_not_exists(claim)' }]),

    /** Refuses the transaction if a claim was written, replaced or freed since it was read. @param at of the claim */
    requiringAsRead: (key: string, at: string | undefined): Write =>
      writes.check({ claim: key }, [
        at === undefined
          ? { expression: 'attribute_not_exists(claim)' }
          : { expression: '#at = :read_at', values: { read_at: at } },
      ]),

    /**
     * Moves a claim to another key. Both writes belong in one transaction, which is refused if the owner of `hidden`
     * does not hold the claim.
     */
    replacingByHash: (key: string, hidden: Claim) => ({
      clear: writes.delete({ claim: key }, [{ expression: 'owner_id = :owner', values: { owner: hidden.owner_id } }]),
      hidden: writes.put(hidden, []),
    }),

    /** A no-op for a free claim. Refused if it was taken at `until` or later. */
    freeingTakenBefore: (key: string, until: string): Write =>
      writes.delete({ claim: key }, [{ expression: 'attribute_not_exists(claim) OR #at < :until', values: { until } }]),

    /** Frees a claim; a no-op if it is free. Refused if another owner holds it. */
    freeing: (key: string, ownerId: string): Write =>
      writes.delete({ claim: key }, [
        { expression: 'attribute_not_exists(claim) OR owner_id = :owner', values: { owner: ownerId } },
      ]),
  };
}

const parse = ({ claim, owner_id, call_id, at, expires_at }: Item): Claim => ({
  claim: String(claim),
  owner_id: String(owner_id),
  call_id: String(call_id),
  at: String(at),
  expires_at: Number(expires_at),
});
