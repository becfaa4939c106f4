import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { erasedNumber, isErasedNumber } from '../../domain/organizations/erased-number.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { ofOrg, type Page, type ReadOptions, readAll, readItem, readPage } from '../dynamodb/reads.ts';
import { readByKeys } from '../dynamodb/reads-by-key.ts';
import type { Write } from '../dynamodb/transaction.ts';
import { readInTransaction } from '../dynamodb/transactional-reads.ts';

const entrySchema = z.object({
  org_id: z.string(),
  /** E.164. For an erased person, the table stores `erasedNumber`; reads by number return the given number instead. */
  phone: z.string(),
  added_at: z.string(),
  /** The call in which the person requested it; absent if a member or an operator added the number. */
  call_id: z.optional(z.string()),
  /** The member's e-mail address, or the operator's name. */
  added_by: z.optional(z.string()),
  /** When the person was erased. */
  erased_at: z.optional(z.string()),
});

export type DoNotCallEntry = z.infer<typeof entrySchema>;
export type DoNotCallStore = ReturnType<typeof doNotCallStore>;

const isListed = { expression: 'attribute_exists(phone)' };

/**
 * Accesses the DoNotCall table: numbers that the service never calls for an organization. It stores the numbers of
 * erased persons as keyed hashes.
 * @param readKey reads the key of the hashes. Its failure fails the lookup, so that a listed number is never called
 */
export function doNotCallStore(db: DynamoDBDocumentClient, table: string, readKey: () => Promise<string>) {
  const writes = conditionalTable(db, table);
  const inClear = (orgId: string, phone: string) => ({ org_id: orgId, phone });
  const hashOf = async (orgId: string, text: string) => erasedNumber(await readKey(), orgId, text);
  const asHash = async (orgId: string, phone: string) => inClear(orgId, await hashOf(orgId, phone));
  return {
    /** Returns the hash that replaces an erased person's number, or a lead's id, in this table and in others. */
    hashOf,

    /**
     * Returns whether a number is on the list. Reads consistently, because a number that was just added must not be
     * called, and reads both forms at one instant, because an erasure replaces one by the other.
     * @param phone E.164.
     */
    async has(orgId: string, phone: string): Promise<boolean> {
      const found = await readInTransaction(db, table, [inClear(orgId, phone), await asHash(orgId, phone)]);
      return found.some((item) => item !== undefined);
    },

    /**
     * Returns the same as `has` at half the cost, by a read of each form. Both reads begin together and may be up to
     * 20 s apart, because an erasure lists a number in both forms for longer than that.
     * @param phone E.164.
     * @param options `mayBeOld` misses a number that was added within the last second
     */
    async hasEither(orgId: string, phone: string, options: ReadOptions = {}): Promise<boolean> {
      const keys = [inClear(orgId, phone), await asHash(orgId, phone)];
      const found = await Promise.all(keys.map((key) => readItem(db, table, key, options)));
      return found.some((item) => item !== undefined);
    },

    /** Reads the entry of an erased person. @param phone E.164, which the result contains */
    async getErased(orgId: string, phone: string): Promise<DoNotCallEntry | undefined> {
      const item = await readItem(db, table, await asHash(orgId, phone));
      return item && { ...entrySchema.parse(item), phone };
    },

    /** Refused if the list has the number. */
    adding: (entry: DoNotCallEntry): Write => writes.put(entry, [{ expression: 'attribute_not_exists(phone)' }]),

    /** Refused if the list does not have the number in clear. */
    removing: (orgId: string, phone: string): Write => writes.delete(inClear(orgId, phone), [isListed]),

    /** Refused if the list does not have the number as a hash. */
    removingErased: async (orgId: string, phone: string): Promise<Write> =>
      writes.delete(await asHash(orgId, phone), [isListed]),

    /**
     * Lists a number as a hash, too, without the call that led to it. Both parts belong in one transaction, which is
     * refused if the list does not have the number in clear.
     */
    async listingAsHash({ org_id, phone, added_at, added_by }: DoNotCallEntry, at: string) {
      const erased: DoNotCallEntry = { ...(await asHash(org_id, phone)), added_at, added_by, erased_at: at };
      return { clear: writes.check(inClear(org_id, phone), [isListed]), erased: writes.put(erased, []) };
    },

    /**
     * Removes the clear form of a number whose hash was listed at `hiddenAt`. Both parts belong in one transaction,
     * which is refused if one of the forms has changed since: without its hash, the number would no longer be refused.
     */
    async removingClear({ org_id, phone }: Pick<DoNotCallEntry, 'org_id' | 'phone'>, hiddenAt: string) {
      const isHidden = { expression: 'erased_at = :hidden', values: { hidden: hiddenAt } };
      return {
        clear: writes.delete(inClear(org_id, phone), [isListed]),
        erased: writes.check(await asHash(org_id, phone), [isHidden]),
      };
    },

    /**
     * Reads the entries of those numbers that are on the list, consistently.
     * @param phones distinct, in E.164
     * @returns only the clear form of a number that is listed in both forms
     */
    async getMany(orgId: string, phones: readonly string[]): Promise<DoNotCallEntry[]> {
      const found = new Map<string, DoNotCallEntry>();
      const numbers = new Map(
        await Promise.all(phones.map(async (phone) => [(await asHash(orgId, phone)).phone, phone] as const)),
      );
      const keys = [...numbers].flatMap(([hash, phone]) => [inClear(orgId, phone), inClear(orgId, hash)]);
      for (const item of await readByKeys(db, table, keys, { ConsistentRead: true })) {
        const entry = entrySchema.parse(item);
        const phone = numbers.get(entry.phone) ?? entry.phone;
        if (!isErasedNumber(entry.phone) || !found.has(phone)) found.set(phone, { ...entry, phone });
      }
      return phones.flatMap((phone) => found.get(phone) ?? []);
    },

    /**
     * Reads a page of the list, sorted by number; the hashes of erased persons come last.
     * @param prefix the beginning of the numbers, in clear; absent for all. @param after the last number of the
     * previous page.
     */
    page: (
      orgId: string,
      { prefix, limit, after }: { prefix?: string; limit: number; after?: string },
    ): Promise<Page<DoNotCallEntry>> => {
      // DynamoDB rejects a start key outside the range.
      if (after !== undefined && prefix !== undefined && !after.startsWith(prefix))
        return Promise.resolve({ items: [] });
      return readPage(
        db,
        {
          TableName: table,
          KeyConditionExpression: `org_id = :org${prefix === undefined ? '' : ' AND begins_with(phone, :prefix)'}`,
          ExpressionAttributeValues: { ':org': orgId, ...(prefix !== undefined && { ':prefix': prefix }) },
          ConsistentRead: true,
          Limit: limit,
          ...(after && { ExclusiveStartKey: { org_id: orgId, phone: after } }),
        },
        (item) => entrySchema.parse(item),
      );
    },

    listOfOrg: (orgId: string): Promise<DoNotCallEntry[]> =>
      readAll(ofOrg(db, table, orgId), (item) => entrySchema.parse(item)),
  };
}
