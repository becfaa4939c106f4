import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { scan } from '../dynamodb/reads.ts';

export type NumberScan = ReturnType<typeof numberScan>;

type Tables = { organizations: string; doNotCall: string };

const ITEMS_OF_A_PAGE = 1_000;

/** Reads the numbers of whole tables: for operators, because no function may scan a table. */
export function numberScan(db: DynamoDBDocumentClient, { organizations, doNotCall }: Tables) {
  return {
    /** Yields the keys of all do-not-call lists, including those of erased persons. */
    async *listed(): AsyncGenerator<{ org_id: string; phone: string }> {
      const input = { TableName: doNotCall, ProjectionExpression: 'org_id, phone', Limit: ITEMS_OF_A_PAGE };
      for await (const { org_id, phone } of scan(db, input)) yield { org_id: String(org_id), phone: String(phone) };
    },

    /** Yields the organizations with their platform numbers. */
    async *platformNumbers(): AsyncGenerator<{ org_id: string; numbers: string[] }> {
      const input = {
        TableName: organizations,
        FilterExpression: 'attribute_exists(platform_numbers)',
        ProjectionExpression: 'org_id, platform_numbers',
        Limit: ITEMS_OF_A_PAGE,
      };
      for await (const { org_id, platform_numbers } of scan(db, input))
        yield { org_id: String(org_id), numbers: platform_numbers as string[] };
    },
  };
}
