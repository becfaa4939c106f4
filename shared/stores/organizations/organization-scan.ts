import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';

/** Reads the whole table of organizations: for operators, because no function may scan a table. */
export function organizationScan(db: DynamoDBDocumentClient, table: string) {
  return {
    /**
     * Yields the ids of the organizations that have no list of countries yet.
     * @param pageSize organizations that one request reads
     */
    async *withoutCountries(pageSize: number): AsyncGenerator<string> {
      for (let after: Record<string, unknown> | undefined; ; ) {
        const { Items = [], LastEvaluatedKey } = await db.send(
          new ScanCommand({
            TableName: table,
            FilterExpression: 'attribute_not_exists(countries)',
            ProjectionExpression: 'org_id',
            Limit: pageSize,
            ...(after && { ExclusiveStartKey: after }),
          }),
        );
        for (const { org_id } of Items) yield String(org_id);
        if (!LastEvaluatedKey) return;
        after = LastEvaluatedKey;
      }
    },
  };
}

export type OrganizationScan = ReturnType<typeof organizationScan>;
