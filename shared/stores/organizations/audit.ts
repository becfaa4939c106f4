import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type AuditEntry, auditEntrySchema } from '../../domain/organizations/audit-entry.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type Page, readPage } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';

export type AuditStore = ReturnType<typeof auditStore>;

/** The Audit table: every change of an organization's settings and members, kept 400 days. Nothing changes an entry. */
export function auditStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Belongs into the transaction of the change. */
    adding: (entry: AuditEntry): Write => writes.put(entry, [{ expression: 'attribute_not_exists(entry)' }]),

    /**
     * Reads entries, newest first.
     * @param range ISO 8601, both inclusive. @param before the last entry of the page before.
     */
    page: (
      orgId: string,
      { from = '0', to = '9999', limit, before }: { from?: string; to?: string; limit: number; before?: string },
    ): Promise<Page<AuditEntry>> =>
      readPage(
        db,
        {
          TableName: table,
          KeyConditionExpression: 'org_id = :org AND #entry BETWEEN :from AND :to',
          ExpressionAttributeNames: { '#entry': 'entry' },
          // Entries begin with their time and "#", which sorts before "~".
          ExpressionAttributeValues: { ':org': orgId, ':from': from, ':to': `${to}~` },
          ScanIndexForward: false,
          Limit: limit,
          ...(before && { ExclusiveStartKey: { org_id: orgId, entry: before } }),
        },
        (item) => auditEntrySchema.parse(item),
      ),
  };
}
