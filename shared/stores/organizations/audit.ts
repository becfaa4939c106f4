import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type AuditEntry,
  auditEntrySchema,
  STAGE,
  type StageEntry,
  stageEntrySchema,
} from '../../domain/organizations/audit-entry.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type Page, readPage } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';

export type AuditStore = ReturnType<typeof auditStore>;

/** Entries between two instants (ISO 8601, both inclusive), after the last entry of the page before. */
export type AuditRange = { from?: string; to?: string; limit: number; before?: string };

/** The Audit table: every change that a person makes, kept 400 days. Nothing changes an entry. */
export function auditStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const pageOf = <T>(
    orgId: string,
    { from = '0', to = '9999', limit, before }: AuditRange,
    parse: (item: Item) => T,
  ): Promise<Page<T>> =>
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
      parse,
    );
  return {
    /** Belongs into the transaction of the change. */
    adding: (entry: AuditEntry | StageEntry): Write =>
      writes.put(entry, [{ expression: 'attribute_not_exists(entry)' }]),

    /** Reads entries of an organization, newest first. */
    page: (orgId: string, range: AuditRange): Promise<Page<AuditEntry>> =>
      pageOf(orgId, range, (item) => auditEntrySchema.parse(item)),

    /** Reads what operators did on the whole stage, newest first. */
    pageOfStage: (range: AuditRange): Promise<Page<StageEntry>> =>
      pageOf(STAGE, range, (item) => stageEntrySchema.parse(item)),
  };
}
