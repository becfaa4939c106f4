import type * as z from 'zod/mini';
import { callbackSchema } from '../../../shared/domain/after-call/callbacks/callback.ts';
import { type Call, callSchema } from '../../../shared/domain/calls/call.ts';
import { activityEntrySchema } from '../../../shared/domain/connections/activity.ts';
import { auditEntrySchema, stageEntrySchema } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { ledgerEntrySchema } from '../../../shared/domain/organizations/ledger-entry.ts';
import { memberSchema } from '../../../shared/domain/organizations/members/member.ts';
import { callItem } from '../../../shared/stores/calls/call-item.ts';
import { NEWER, sampleItem, valueAt } from '../support/sample-item.ts';
import { listsIn, readingSchemas } from '../support/stored-lists.ts';
import { aWorld } from '../support/worlds/world.ts';

const ID = 'one';
const AT = '2026-03-02T06:00:00.000Z';
const range = { limit: 10 };

type Stores = ReturnType<typeof aWorld>['stores'];
type Item = Record<string, unknown>;
type Kind = {
  schema: z.ZodMiniType;
  table: string;
  /** The attributes by which the stores find the item. */
  keys: Item;
  toItem?: (sample: Item) => Item;
  /** Reads that only show the item. One that returns no such attribute does not read it. */
  shows: (stores: Stores) => Promise<unknown>[];
  /** Reads of workers. */
  decides?: (stores: Stores) => Promise<unknown>[];
};

const first = async (read: Promise<{ items: readonly unknown[] } | readonly unknown[]>): Promise<unknown> => {
  const found = await read;
  return 'items' in found ? found.items[0] : found[0];
};

const entryKeys = { org_id: 'org1', entry: `${AT}#1`, at: AT };

const kinds: Record<string, Kind> = {
  call: {
    schema: callSchema,
    table: 'calls',
    keys: { call_id: ID, org_id: 'org1', created_at: AT, phone_number: '+919812345678' },
    toItem: (sample) => callItem(sample as Call),
    shows: ({ calls, viewedCalls, recordedCalls, search, callBriefs, callCounts }) => [
      calls.getToShow(ID),
      viewedCalls.get(ID),
      recordedCalls.get(ID),
      first(calls.listOfOrg('org1', range)),
      first(calls.pageToShow('org1', range)),
      first(search.getMany([ID])),
      first(search.pageOfFacts('org1', range, true)),
      callBriefs.get('org1', [ID]).then((found) => found.get(ID)),
      first(callCounts.recent('org1', 10)),
    ],
    decides: ({ calls }) => [calls.get(ID), calls.pageOfOrg('org1', range)],
  },
  'lead event': {
    schema: activityEntrySchema,
    table: 'activity',
    keys: { connection_id: 'conn1', event_id: ID, at: AT },
    shows: ({ activity }) => [
      activity.get('conn1', ID),
      first(activity.list('conn1')),
      first(activity.page('conn1', range)),
      first(activity.pageInBrief('conn1', range)),
      first(activity.triesOf('conn1', ID)),
      first(activity.entriesOf([{ connection_id: 'conn1', event_id: ID }])),
      first(activity.wholeEntriesOf([{ connection_id: 'conn1', event_id: ID }])),
    ],
  },
  'audit entry': {
    schema: auditEntrySchema,
    table: 'audit',
    keys: entryKeys,
    shows: ({ audit }) => [first(audit.page('org1', range))],
  },
  'audit entry of the stage': {
    schema: stageEntrySchema,
    table: 'audit',
    keys: { ...entryKeys, org_id: 'stage' },
    shows: ({ audit }) => [first(audit.pageOfStage(range))],
  },
  'ledger entry': {
    schema: ledgerEntrySchema,
    table: 'credit-ledger',
    keys: { ...entryKeys, call_id: ID },
    shows: ({ ledger }) => [
      first(ledger.list('org1', 10)),
      first(ledger.page('org1', range)),
      first(ledger.ofCall('org1', ID, { from: AT, to: AT })),
    ],
  },
  notification: {
    schema: callbackSchema,
    table: 'callbacks',
    keys: { call_id: ID, webhook_id: 'hook1' },
    shows: ({ callbacks }) => [first(callbacks.listToShow(ID))],
    decides: ({ callbacks }) => [callbacks.listOfCall(ID)],
  },
  member: {
    schema: memberSchema,
    table: 'members',
    keys: { user_id: ID, org_id: 'org1', email: 'a@example.com' },
    shows: ({ members }) => [first(members.page('org1', 10))],
    decides: ({ members }) => [members.get(ID)],
  },
};

const cases = Object.entries(kinds).flatMap(([name, kind]) =>
  listsIn(kind.schema).map(({ path }) => ({ name, path, at: path.join('.'), kind })),
);

function stored({ kind: { schema, table, keys, toItem = (sample) => sample }, path }: (typeof cases)[number]) {
  const world = aWorld({});
  const sample = { ...(sampleItem(schema, { path }) as Item), ...keys };
  world.put(table as never, { ...toItem(sample), attribute_of_a_newer_version: 1 });
  return world.stores;
}

describe('an item of a newer version', () => {
  it.each(cases)('is shown with its newer value, $name: $at', async (each) => {
    for (const read of each.kind.shows(stored(each))) {
      const item = await read;
      expect(item).toBeDefined();
      // Some reads do not include every attribute.
      if (Object.hasOwn(item as object, each.path[0] ?? '')) expect(valueAt(item, each.path)).toBe(NEWER);
    }
  });

  it.each(cases.filter(({ kind }) => kind.decides))('is refused by the reads of workers, $name: $at', async (each) => {
    for (const read of each.kind.decides?.(stored(each)) ?? []) await expect(read).rejects.toThrow();
  });

  it('is tolerated if it only has other attributes', async () => {
    for (const [name, kind] of Object.entries(kinds)) {
      const none = { path: [] };
      const each = { name, kind, at: '', path: ['no list'] };
      expect(sampleItem(kind.schema, none)).toBeDefined();
      const stores = stored(each);
      for (const read of [...kind.shows(stores), ...(kind.decides?.(stores) ?? [])])
        expect(await read).not.toHaveProperty('attribute_of_a_newer_version');
    }
  });
});

describe('every schema of stored items and messages', () => {
  it('tolerates attributes of newer versions', async () => {
    for (const [name, schema] of await readingSchemas()) {
      if ((schema as z.core.$ZodTypes)._zod.def.type === 'record') continue;
      const read = (schema as z.ZodMiniType).safeParse({
        ...(sampleItem(schema, { path: ['no list'] }) as Item),
        attribute_of_a_newer_version: 1,
      });
      expect([name, read.success]).toEqual([name, true]);
    }
  });
});
