import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type Call, callSchema, type UnfinishedWork } from '../../domain/calls/call.ts';
import { phoneKeyOf } from '../../domain/calls/phone-key.ts';
import type { UnfinishedCall } from '../../domain/calls/recovery/unfinished-call.ts';
import { type Shown, shownSchemaOf } from '../../domain/newer-values.ts';
import { type Page, query, readAll, readPage } from '../dynamodb/reads.ts';
import { readByKeys } from '../dynamodb/reads-by-key.ts';
import type { Item } from '../dynamodb/transaction.ts';
import { parseToShowUnlessErased } from './call-item.ts';
import { parseAnalysis } from './call-json.ts';
import { type CallPosition, callIndexes } from './calls.ts';

export type CallSearch = ReturnType<typeof callSearch>;

type Range = { from?: string; to?: string; limit: number; before?: CallPosition | undefined };

const factAttributes = {
  call_id: true,
  created_at: true,
  status: true,
  assistant_id: true,
  lead: true,
  tested_by: true,
  callback_status: true,
  analysis: true,
} as const;
const factsSchema = shownSchemaOf(z.pick(callSchema, factAttributes));

/** The attributes of a call that filters read. */
export type CallFacts = z.infer<typeof factsSchema>;

const factNames = Object.keys(factAttributes);

type Unfinished = Pick<UnfinishedCall, 'call_id' | 'dial_by'>;

const unfinishedOf = ({ call_id, dial_by }: Item): Unfinished => ({
  call_id: String(call_id),
  dial_by: String(dial_by),
});

/** Ids from an index, and whether there are more. */
export type SomeIds = { ids: string[]; isCut: boolean };

/** An entry has a few hundred bytes, so these pages of 1 MB hold about ten thousand unfinished calls of the stage. */
const MAX_PAGES = 4;

/**
 * Finds an organization's calls in the Calls table by numbers, ids and filters. Separate, because only the dashboard
 * and operators search; no worker does.
 */
export function callSearch(db: DynamoDBDocumentClient, table: string) {
  return {
    /**
     * Reads calls by their ids, only to show them, possibly slightly stale and in no order. Omits ids that do not
     * exist.
     */
    async getMany(callIds: readonly string[]): Promise<Shown<Call>[]> {
      const keys = callIds.map((call_id) => ({ call_id }));
      return (await readByKeys(db, table, keys)).flatMap((item) => parseToShowUnlessErased(item) ?? []);
    },

    /**
     * Reads a page of an organization's calls, newest first, with only the attributes that filters read. The index may
     * be a few seconds old.
     * @param range ISO 8601, both inclusive. @param before the last call of the previous page, within the range.
     * @param withAnalysis whether to read the analysis, whose texts are longer than all other attributes together
     */
    pageOfFacts: (
      orgId: string,
      { from = '0', to = '9999', limit, before }: Range,
      withAnalysis: boolean,
    ): Promise<Page<CallFacts, CallPosition>> => {
      const names = factNames.filter((name) => withAnalysis || name !== 'analysis');
      return readPage(
        db,
        {
          TableName: table,
          IndexName: callIndexes.byOrg,
          KeyConditionExpression: 'org_id = :org AND created_at BETWEEN :from AND :to',
          ProjectionExpression: names.map((name) => `#${name}`).join(', '),
          ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
          ExpressionAttributeValues: { ':org': orgId, ':from': from, ':to': to },
          ScanIndexForward: false,
          Limit: limit,
          ...(before && {
            ExclusiveStartKey: { org_id: orgId, created_at: before.created_at, call_id: before.call_id },
          }),
        },
        (item) => factsSchema.parse({ ...item, analysis: parseAnalysis(item.analysis) }),
      );
    },

    /**
     * Reads a page of the calls to a number, newest first. The index may be a few seconds old, and lacks calls from
     * before it was created (docs/dashboard.md, "Calls").
     * @param phone E.164 @param range ISO 8601, both inclusive @param before the last call of the previous page
     */
    pageOfPhone: (
      orgId: string,
      phone: string,
      { from = '0', to = '9999', limit, before }: Range,
    ): Promise<Page<CallPosition, CallPosition>> => {
      const org_phone = phoneKeyOf({ org_id: orgId, phone_number: phone });
      return readPage(
        db,
        {
          TableName: table,
          IndexName: callIndexes.byPhone,
          KeyConditionExpression: 'org_phone = :phone AND created_at BETWEEN :from AND :to',
          ExpressionAttributeValues: { ':phone': org_phone, ':from': from, ':to': to },
          ScanIndexForward: false,
          Limit: limit,
          ...(before && {
            ExclusiveStartKey: { org_phone, created_at: before.created_at, call_id: before.call_id },
          }),
        },
        ({ call_id, created_at }) => ({ call_id: String(call_id), created_at: String(created_at) }),
      );
    },

    /**
     * Yields the organization's calls that are not in the index by number, because they were placed before it was
     * created. Reads all calls of the organization.
     */
    async *notByPhone(orgId: string): AsyncGenerator<Pick<Call, 'call_id' | 'phone_number'>> {
      const items = query(db, {
        TableName: table,
        IndexName: callIndexes.byOrg,
        KeyConditionExpression: 'org_id = :org',
        FilterExpression: 'attribute_not_exists(org_phone)',
        ProjectionExpression: 'call_id, phone_number',
        ExpressionAttributeValues: { ':org': orgId },
      });
      for await (const { call_id, phone_number } of items)
        yield { call_id: String(call_id), phone_number: String(phone_number) };
    },

    /**
     * Reads an organization's unfinished calls of one kind of work, the earliest `dial_by` first. The index spans all
     * organizations, so each read is bounded.
     * @param after the `last` of the previous page. @returns `last`: the position reached if there may be more. It may
     * be a call of another organization
     */
    async pageOfUnfinished(
      work: UnfinishedWork,
      orgId: string,
      { limit, after }: { limit: number; after?: Unfinished | undefined },
    ): Promise<{ items: Unfinished[]; last?: Unfinished }> {
      const items: Unfinished[] = [];
      let start: Item | undefined = after && { ...after, unfinished: work };
      for (let pages = 0; pages < MAX_PAGES; pages += 1) {
        const page = await readPage(
          db,
          {
            TableName: table,
            IndexName: callIndexes.unfinished,
            KeyConditionExpression: 'unfinished = :work',
            FilterExpression: 'org_id = :org',
            ExpressionAttributeValues: { ':work': work, ':org': orgId },
            ...(start && { ExclusiveStartKey: start }),
          },
          unfinishedOf,
        );
        items.push(...page.items);
        const last = items[limit - 1];
        if (items.length > limit && last) return { items: items.slice(0, limit), last };
        if (!page.last) return { items };
        start = page.last;
      }
      return { items, ...(start && { last: unfinishedOf(start) }) };
    },

    /** Reads the ids of an organization's calls that wait for a line, including those that wait for a later instant. */
    async idsOfWaiting(orgId: string, limit: number): Promise<SomeIds> {
      const ids = await readAll(
        query(db, {
          TableName: table,
          IndexName: callIndexes.waiting,
          KeyConditionExpression: 'waiting_org = :org',
          ExpressionAttributeValues: { ':org': orgId },
          Limit: limit + 1,
        }),
        ({ call_id }) => String(call_id),
        limit + 1,
      );
      return { ids: ids.slice(0, limit), isCut: ids.length > limit };
    },
  };
}
