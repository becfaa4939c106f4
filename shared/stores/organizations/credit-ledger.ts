import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { creditReferenceSchema, type LedgerEntry, ledgerEntrySchema } from '../../domain/organizations/ledger-entry.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { query, readAll } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';

export type CreditLedger = ReturnType<typeof creditLedger>;

/**
 * The CreditLedger table. Entries are added and never changed. The references of an organization's top-ups have a
 * partition of their own, so that lists of its entries do not contain them.
 */
export function creditLedger(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Refused where the entry exists. */
    adding: (entry: LedgerEntry): Write => writes.put(entry, [{ expression: 'attribute_not_exists(entry)' }]),

    /**
     * Notes that an entry was added under a reference. Refused, with the earlier note, where the organization has one
     * with this reference.
     */
    referring: (reference: string, { org_id, amount, entry: of }: LedgerEntry): Write =>
      writes.put(
        { org_id: `${org_id}#references`, entry: reference, of, amount },
        [{ expression: 'attribute_not_exists(entry)' }],
        'ALL_OLD',
      ),

    parseReference: (item: unknown) => creditReferenceSchema.parse(item),

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
