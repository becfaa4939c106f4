import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Shown, shownSchemaOf } from '../../domain/newer-values.ts';
import { type ChainHead, chained, chainHeadSchema, headAt } from '../../domain/organizations/audit/audit-chain.ts';
import {
  type AuditEntry,
  auditEntrySchema,
  STAGE,
  type StageEntry,
} from '../../domain/organizations/audit/audit-entry.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type EntryRange, pageOfEntries } from '../dynamodb/dated-entries.ts';
import { type Page, readItem } from '../dynamodb/reads.ts';
import type { Write } from '../dynamodb/transaction.ts';

const DAY_SECONDS = 86_400;

/** Also reads the stage's entries, which differ only in their actions. */
const entrySchema = shownSchemaOf(auditEntrySchema);

export type AuditStore = ReturnType<typeof auditStore>;

/** The item that names the newest entry, in a separate partition. */
const headKey = (orgId: string) => ({ org_id: `${orgId}#head`, entry: 'head' });

/** The mark of a request with an idempotency key, in a separate partition. */
const markKey = (orgId: string, action: string) => ({ org_id: `${orgId}#deeds`, entry: action });

/** Reads the head of an organization's chain; undefined if no entry is chained. */
export async function chainHeadOf(
  db: DynamoDBDocumentClient,
  table: string,
  orgId: string,
): Promise<ChainHead | undefined> {
  const item = await readItem(db, table, headKey(orgId));
  return item && chainHeadSchema.parse(item);
}

/** Accesses the Audit table: every change that a person makes, stored for 400 days. Entries never change. */
export function auditStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);

  /**
   * Replaces the head if it is still the one that was read, so that the second of two concurrent writers continues from
   * the entry of the first.
   */
  const replacing = (orgId: string, read: ChainHead | undefined, head: ChainHead): Write =>
    writes.put({ ...headKey(orgId), ...head }, [
      read
        ? { expression: '#hash = :previous', values: { previous: read.hash } }
        : { expression: 'attribute_not_exists(entry)' },
    ]);

  return {
    /** Adds an entry. Belongs in the transaction of the change that it records, and takes two of its writes. */
    adding: (entry: AuditEntry | StageEntry): Write => ({
      async rebuilt() {
        const head = await chainHeadOf(db, table, entry.org_id);
        const placed = chained(entry, head);
        return {
          write: writes.put(placed, [{ expression: 'attribute_not_exists(entry)' }]),
          basis: replacing(entry.org_id, head, headAt(placed)),
        };
      },
    }),

    /**
     * Records for a day, in a separate partition, that the entry of a request with an idempotency key exists. Belongs
     * in the entry's transaction, so that a repeat of the request is refused.
     */
    addingActionMark: (orgId: string, action: string, at: Date): Write =>
      writes.put({ ...markKey(orgId, action), expires_at: Math.floor(at.getTime() / 1000) + DAY_SECONDS }, [
        { expression: 'attribute_not_exists(entry)' },
      ]),

    /** Returns whether the entry of a request with an idempotency key exists. Reads consistently. */
    async hasActionMark(orgId: string, action: string): Promise<boolean> {
      return (await readItem(db, table, markKey(orgId, action))) !== undefined;
    },

    /** Reads entries of an organization, newest first. */
    page: (orgId: string, range: EntryRange): Promise<Page<Shown<AuditEntry>>> =>
      pageOfEntries(db, table, orgId, range, (item) => entrySchema.parse(item)),

    /** Reads the operators' acts on the whole stage, newest first. */
    pageOfStage: (range: EntryRange): Promise<Page<Shown<StageEntry>>> =>
      pageOfEntries(db, table, STAGE, range, (item) => entrySchema.parse(item)),
  };
}
