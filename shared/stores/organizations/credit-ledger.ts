import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type LedgerEntry, ledgerEntrySchema } from '../../domain/organizations/ledger-entry.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';

export type CreditLedger = ReturnType<typeof creditLedger>;

/** The CreditLedger table. Entries are added and never changed. */
export function creditLedger(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Refused where the entry exists. */
    adding: (entry: LedgerEntry): Write => writes.put(entry, [{ expression: 'attribute_not_exists(entry)' }]),

    /** Newest first. */
    list: (orgId: string, limit: number): Promise<LedgerEntry[]> =>
      readAll(
        query(db, {
          TableName: table,
          KeyConditionExpression: 'org_id = :org',
          ExpressionAttributeValues: { ':org': orgId },
          ScanIndexForward: false,
          Limit: limit,
        }),
        (item) => ledgerEntrySchema.parse(item),
        limit,
      ),
  };
}
