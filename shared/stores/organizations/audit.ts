import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type AuditEntry,
  auditEntrySchema,
  STAGE,
  type StageEntry,
  stageEntrySchema,
} from '../../domain/organizations/audit-entry.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type EntryRange, pageOfEntries } from '../dynamodb/dated-entries.ts';
import type { Page } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';

const DAY_SECONDS = 86_400;

export type AuditStore = ReturnType<typeof auditStore>;

/** The Audit table: every change that a person makes, kept 400 days. Nothing changes an entry. */
export function auditStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  return {
    /** Belongs into the transaction of the change. */
    adding: (entry: AuditEntry | StageEntry): Write =>
      writes.put(entry, [{ expression: 'attribute_not_exists(entry)' }]),

    /**
     * Notes that a deed has its entry, for a day, in a partition of its own. Belongs into the entry's transaction,
     * which is refused for a repeat of the deed.
     */
    addingDeed: (orgId: string, deed: string, at: Date): Write =>
      writes.put({ org_id: `${orgId}#deeds`, entry: deed, expires_at: Math.floor(at.getTime() / 1000) + DAY_SECONDS }, [
        { expression: 'attribute_not_exists(entry)' },
      ]),

    /** Reads entries of an organization, newest first. */
    page: (orgId: string, range: EntryRange): Promise<Page<AuditEntry>> =>
      pageOfEntries(db, table, orgId, range, (item) => auditEntrySchema.parse(item)),

    /** Reads what operators did on the whole stage, newest first. */
    pageOfStage: (range: EntryRange): Promise<Page<StageEntry>> =>
      pageOfEntries(db, table, STAGE, range, (item) => stageEntrySchema.parse(item)),
  };
}
