import { BatchGetCommand, type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Organization, organizationSchema } from '../../domain/organizations/organization.ts';
import { tookPlace } from '../dynamodb/conditional-write.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { type Condition, updateExpression } from '../dynamodb/update.ts';

export type OrganizationStore = ReturnType<typeof organizationStore>;

const MOST_KEYS_OF_A_BATCH = 100; // DynamoDB, BatchGetItem

/** The Organizations table: who they are and the credit they have. Amounts in units. */
export function organizationStore(db: DynamoDBDocumentClient, table: string) {
  const write = (orgId: string, add: Record<string, number>, conditions: Condition[] = []): Write => ({
    Update: {
      TableName: table,
      Key: { org_id: orgId },
      ...updateExpression({ add }, [{ expression: 'attribute_exists(org_id)' }, ...conditions]),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  });

  return {
    parse: parseOrganization,

    /** Reads consistently. */
    async get(orgId: string): Promise<Organization | undefined> {
      const { Item } = await db.send(
        new GetCommand({ TableName: table, Key: { org_id: orgId }, ConsistentRead: true }),
      );
      return Item && parseOrganization(Item);
    },

    async getMany(orgIds: readonly string[]): Promise<Organization[]> {
      const found: Organization[] = [];
      let keys = [...new Set(orgIds)].map((org_id): Item => ({ org_id }));
      while (keys.length > 0) {
        const answer = await db.send(
          new BatchGetCommand({ RequestItems: { [table]: { Keys: keys.slice(0, MOST_KEYS_OF_A_BATCH) } } }),
        );
        found.push(...(answer.Responses?.[table] ?? []).map(parseOrganization));
        keys = [...keys.slice(MOST_KEYS_OF_A_BATCH), ...(answer.UnprocessedKeys?.[table]?.Keys ?? [])];
      }
      return found;
    },

    creation: (org: Organization): Write => ({
      Put: { TableName: table, Item: org, ConditionExpression: 'attribute_not_exists(org_id)' },
    }),

    /**
     * Overwrites members of an org. Credit moves only by the writes below.
     * @param expected the callback secrets as they were read, where they are replaced: two at once must not lose one.
     * @returns false where there is no such org, or the secrets have changed since.
     */
    async update(
      orgId: string,
      set: Partial<Omit<Organization, 'org_id' | 'available' | 'held'>>,
      remove: (keyof Organization)[] = [],
      expected?: Pick<Organization, 'callback_secrets'>,
    ): Promise<boolean> {
      const change = updateExpression({ set, remove }, [
        { expression: 'attribute_exists(org_id)' },
        ...(expected
          ? [{ expression: 'callback_secrets = :expected', values: { expected: expected.callback_secrets } }]
          : []),
      ]);
      return tookPlace(db.send(new UpdateCommand({ TableName: table, Key: { org_id: orgId }, ...change })));
    },

    /** Moves credit from available to held; refused, with the org as it stands, where it is not enough. */
    holding: (orgId: string, amount: number): Write =>
      write(orgId, { available: -amount, held: amount }, [atLeast(amount)]),

    /** Takes the cost out of a hold and gives the rest back. */
    settling: (orgId: string, { held, cost }: { held: number; cost: number }): Write =>
      write(orgId, { available: held - cost, held: -held }),

    /** Adds credit, or takes back what is available. @param amount negative takes back; never below 0. */
    toppingUp: (orgId: string, amount: number): Write =>
      write(orgId, { available: amount }, amount < 0 ? [atLeast(-amount)] : []),
  };
}

const parseOrganization = (item: Item): Organization => organizationSchema.parse(item);

const atLeast = (amount: number): Condition => ({ expression: 'available >= :needed', values: { needed: amount } });
