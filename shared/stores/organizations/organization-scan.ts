import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { scan } from '../dynamodb/reads.ts';

/** Reads the whole table of organizations: for operators, because no function may scan a table. */
export function organizationScan(db: DynamoDBDocumentClient, table: string) {
  return {
    /**
     * Yields the ids of the organizations that have no list of countries yet.
     * @param pageSize organizations that one request reads
     */
    async *withoutCountries(pageSize: number): AsyncGenerator<string> {
      const input = {
        TableName: table,
        FilterExpression: 'attribute_not_exists(countries)',
        ProjectionExpression: 'org_id',
        Limit: pageSize,
      };
      for await (const { org_id } of scan(db, input)) yield String(org_id);
    },
  };
}

export type OrganizationScan = ReturnType<typeof organizationScan>;
