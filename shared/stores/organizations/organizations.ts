import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Organization, organizationSchema } from '../../domain/organizations/organization.ts';
import type { OrganizationSettings } from '../../domain/organizations/organization-change.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type Page, readItem, readPage } from '../dynamodb/reads.ts';
import { readByKeys } from '../dynamodb/reads-by-key.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type Condition, isStill } from '../dynamodb/update.ts';

export type OrganizationStore = ReturnType<typeof organizationStore>;

export const organizationIndexes = { watched: 'watched' } as const;

/** The index's only partition: it has one small item per organization, written once. */
const WATCHED = 'by-notices';

const exists: Condition = { expression: 'attribute_exists(org_id)' };

/** Accesses the Organizations table, with the credit of each organization. Amounts are in units. */
export function organizationStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  /** A refusal reveals the stored organization, so that a client learns how much credit is available. */
  const movingCredit = (orgId: string, add: Record<string, number>, conditions: Condition[] = []): Write =>
    writes.update({ org_id: orgId }, { add }, [exists, ...conditions], 'ALL_OLD');

  return {
    parse: parseOrganization,

    /** Reads consistently. */
    async get(orgId: string): Promise<Organization | undefined> {
      const item = await readItem(db, table, { org_id: orgId });
      return item && parseOrganization(item);
    },

    /** @returns the existing organizations, and the ids of those that cannot be read */
    async getMany(orgIds: readonly string[]): Promise<{ found: Organization[]; unreadable: string[] }> {
      const found: Organization[] = [];
      const unreadable: string[] = [];
      const keys = orgIds.map((org_id) => ({ org_id }));
      for (const item of await readByKeys(db, table, keys)) {
        const { data } = organizationSchema.safeParse(item);
        if (data) found.push(data);
        else unreadable.push(String(item.org_id));
      }
      return { found, unreadable };
    },

    /**
     * Lists the ids of watched organizations, which are those that have had an owner.
     * @param after the last one of the previous page
     */
    watched: (limit: number, after?: string): Promise<Page<string>> =>
      readPage(
        db,
        {
          TableName: table,
          IndexName: organizationIndexes.watched,
          KeyConditionExpression: 'watched = :watched',
          ExpressionAttributeValues: { ':watched': WATCHED },
          Limit: limit,
          ...(after !== undefined && { ExclusiveStartKey: { watched: WATCHED, org_id: after } }),
        },
        ({ org_id }) => String(org_id),
      ),

    creation: (org: Organization): Write => writes.put(org, [{ expression: 'attribute_not_exists(org_id)' }]),

    /** Overwrites settings. Refused if they have changed since the organization was read. */
    updating: (
      { org_id, revision }: Pick<Organization, 'org_id' | 'revision'>,
      set: Partial<OrganizationSettings & Pick<Organization, 'revision' | 'updated_at' | 'updated_by'>>,
      remove: readonly (keyof OrganizationSettings)[] = [],
    ): Write => writes.update({ org_id }, { set, remove }, [exists, isStill('revision', revision)]),

    /** Replaces the callback secrets. Refused if they have changed since the organization was read. */
    replacingSecrets: (
      { org_id, callback_secrets: expected }: Pick<Organization, 'org_id' | 'callback_secrets'>,
      callback_secrets: Organization['callback_secrets'],
    ): Write =>
      writes.update({ org_id }, { set: { callback_secrets } }, [
        exists,
        { expression: 'callback_secrets = :expected', values: { expected } },
      ]),

    /** Moves credit from available to held. Refused, with the stored organization, if too little is available. */
    holding: (orgId: string, amount: number): Write =>
      movingCredit(orgId, { available: -amount, held: amount }, [atLeast(amount)]),

    /** Holds credit for a call whose end adds the ledger entry of the hold. Otherwise like `holding`. */
    holdingUnentered: (orgId: string, amount: number): Write =>
      movingCredit(orgId, { available: -amount, held: amount, holds_unentered: amount }, [atLeast(amount)]),

    /**
     * Stores the countries that an organization may call in a separate item, in each transaction that changes its
     * settings. A dial checks that item, because a condition on `countries` of the organization itself would require
     * the right to change it.
     */
    storingAllowedCountries: (orgId: string, countries: readonly string[]): Write =>
      writes.update(countriesKey(orgId), { set: { countries } }),

    /**
     * Refuses the transaction, without revealing the item, if an organization may no longer call a country. It passes
     * if the settings have never changed, because the organization is then as it was read.
     */
    mayCall: (orgId: string, country: string): Write =>
      writes.check(countriesKey(orgId), [
        { expression: 'attribute_not_exists(org_id) OR contains(countries, :country)', values: { country } },
      ]),

    /**
     * Takes the cost from a hold and returns the rest.
     * @param entersHold whether the same transaction adds the ledger entry of the hold
     */
    settling: (
      orgId: string,
      { held, cost, entersHold }: { held: number; cost: number; entersHold?: boolean },
    ): Write =>
      movingCredit(orgId, { available: held - cost, held: -held, ...(entersHold && { holds_unentered: -held }) }),

    /**
     * Counts a new owner (1) or one fewer (-1). Refused for the last owner, because someone must be able to invite
     * others. From the first owner on, notices have a recipient, so the organization is watched.
     */
    countingOwners: (orgId: string, change: 1 | -1): Write =>
      writes.update({ org_id: orgId }, { add: { owners: change }, ...(change > 0 && { set: { watched: WATCHED } }) }, [
        exists,
        ...(change < 0 ? [{ expression: 'owners > :one', values: { one: 1 } }] : []),
      ]),

    /** Adds credit. @param amount in units; a negative one takes credit back, but never below 0 available. */
    toppingUp: (orgId: string, amount: number): Write =>
      movingCredit(orgId, { available: amount }, amount < 0 ? [atLeast(-amount)] : []),
  };
}

/** The key of the countries that an organization may call. The ids of organizations have no "#". */
const countriesKey = (orgId: string) => ({ org_id: `${orgId}#countries` });

const parseOrganization = (item: Item): Organization => organizationSchema.parse(item);

const atLeast = (amount: number): Condition => ({ expression: 'available >= :needed', values: { needed: amount } });
