import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Shown, shownSchemaOf } from '../../domain/newer-values.ts';
import { creditReferenceSchema, type LedgerEntry, ledgerEntrySchema } from '../../domain/organizations/ledger-entry.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { type EntryRange, pageOfEntries } from '../dynamodb/dated-entries.ts';
import { type Page, query, readAll, readPage } from '../dynamodb/reads.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';

export type CreditLedger = ReturnType<typeof creditLedger>;

const MAX_PAGES_OF_A_SEARCH = 8;

const entrySchema = shownSchemaOf(ledgerEntrySchema);

/** An entry as it is stored, perhaps by a newer version. */
type StoredEntry = Shown<LedgerEntry>;

/**
 * Accesses the CreditLedger table. Entries are added and never changed. The references of an organization's top-ups
 * have a partition of their own, so that lists of its entries do not contain them.
 */
export function creditLedger(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);

  /** Reads the entries with a value among the organization's entries in a time range, newest first. */
  async function search(
    orgId: string,
    { from, to }: { from: string; to: string },
    { attribute, value }: { attribute: 'call_id' | 'kind'; value: string },
  ): Promise<StoredEntry[]> {
    const entries: StoredEntry[] = [];
    let start: Item | undefined;
    for (let pages = 0; pages < MAX_PAGES_OF_A_SEARCH; pages += 1) {
      const page = await readPage(
        db,
        {
          TableName: table,
          KeyConditionExpression: 'org_id = :org AND #entry BETWEEN :from AND :to',
          FilterExpression: '#attribute = :value',
          ExpressionAttributeNames: { '#entry': 'entry', '#attribute': attribute },
          ExpressionAttributeValues: { ':org': orgId, ':from': from, ':to': to, ':value': value },
          ScanIndexForward: false,
          ...(start && { ExclusiveStartKey: start }),
        },
        (item) => entrySchema.parse(item),
      );
      entries.push(...page.items);
      if (!page.last) break;
      start = page.last;
    }
    return entries;
  }

  return {
    /** Refused if the entry exists. */
    adding: (entry: LedgerEntry): Write => writes.put(entry, [{ expression: 'attribute_not_exists(entry)' }]),

    /**
     * Adds the hold of a call that ends. The entry may exist: tables that are restored to one second may have only a
     * part of a transaction, and the call must end anyway.
     */
    entering: (hold: LedgerEntry): Write => writes.put(hold, []),

    /**
     * Records that an entry was added under a reference. Refused, with the earlier record, if the organization has one
     * with this reference.
     */
    referring: (reference: string, { org_id, amount, entry: of }: LedgerEntry): Write =>
      writes.put(
        { org_id: `${org_id}#references`, entry: reference, of, amount },
        [{ expression: 'attribute_not_exists(entry)' }],
        'ALL_OLD',
      ),

    parseReference: (item: unknown) => creditReferenceSchema.parse(item),

    /** Lists the newest entries of an organization, newest first. */
    list: (orgId: string, limit: number): Promise<StoredEntry[]> =>
      readAll(
        query(db, {
          TableName: table,
          KeyConditionExpression: 'org_id = :org',
          ExpressionAttributeValues: { ':org': orgId },
          ScanIndexForward: false,
          Limit: limit,
        }),
        (item) => entrySchema.parse(item),
        limit,
      ),

    /**
     * Reads the entries of a call, oldest first, among the organization's entries in a time range. If these exceed
     * `MAX_PAGES_OF_A_SEARCH` pages of 1 MB, the oldest ones are left out.
     * @param range ISO 8601, both inclusive.
     */
    async ofCall(orgId: string, callId: string, { from, to }: { from: string; to: string }): Promise<StoredEntry[]> {
      const found = await search(orgId, { from, to: `${to}~` }, { attribute: 'call_id', value: callId });
      return found.reverse();
    },

    /**
     * Sums an organization's charges, in units. If the entries exceed `MAX_PAGES_OF_A_SEARCH` pages of 1 MB, the
     * oldest ones are left out.
     * @param from ISO 8601, inclusive.
     */
    async chargedSince(orgId: string, from: string): Promise<number> {
      const found = await search(orgId, { from, to: '~' }, { attribute: 'kind', value: 'settlement' });
      return found.reduce((sum, { amount }) => sum - amount, 0);
    },

    /** Reads entries of an organization, newest first. */
    page: (orgId: string, range: EntryRange): Promise<Page<StoredEntry>> =>
      pageOfEntries(db, table, orgId, range, (item) => entrySchema.parse(item)),
  };
}
