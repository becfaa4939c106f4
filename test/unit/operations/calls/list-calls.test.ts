import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { type CallFilter, matchesFilter } from '../../../../shared/domain/calls/call-filter.ts';
import { callSources } from '../../../../shared/domain/calls/call-source.ts';
import { callStatuses } from '../../../../shared/domain/calls/call-status.ts';
import { listCalls } from '../../../../shared/operations/calls/list-calls.ts';
import type { CallSearch } from '../../../../shared/stores/calls/call-search.ts';
import type { CallPosition } from '../../../../shared/stores/calls/calls.ts';

const ORG = 'org1';
const instant = (second: number) => new Date(Date.UTC(2026, 10, 22) + second * 1000).toISOString();

const aCall = (second: number, over: Partial<Call> = {}): Call =>
  ({
    call_id: `call_${second}`,
    org_id: ORG,
    created_at: instant(second),
    status: 'completed',
    assistant_id: 'asst_1',
    ...over,
  }) as Call;

/** The index of an organization's calls, with DynamoDB's paging. */
function anIndex(calls: Call[]) {
  const sorted = calls.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
  const reads: number[] = [];
  const pageToShow = async (
    _org: string,
    { from = '0', to = '9999', limit, before }: { from?: string; to?: string; limit: number; before?: CallPosition },
  ) => {
    if (before && (before.created_at < from || before.created_at > to)) throw new Error('outside query boundaries');
    const inRange = sorted.filter(({ created_at }) => created_at >= from && created_at <= to);
    const rest = before ? inRange.filter(({ created_at }) => created_at < before.created_at) : inRange;
    const items = rest.slice(0, limit);
    reads.push(items.length);
    const last = items[limit - 1];
    return { items, ...(last && { last }) };
  };
  const clock = { ms: 0 };
  const pageOfFacts = async (...[orgId, { before, ...range }]: Parameters<CallSearch['pageOfFacts']>) => {
    clock.ms += index.msOfARead;
    return pageToShow(orgId, { ...range, ...(before && { before }) });
  };
  const getMany = async (ids: readonly string[]) => sorted.filter(({ call_id }) => ids.includes(call_id)).reverse();
  const index = {
    calls: { pageToShow, pageOfFacts, getMany },
    now: () => new Date(clock.ms),
    msOfARead: 0,
    reads,
    add: (call: Call) => sorted.unshift(call),
  };
  return index;
}

async function everyPage(index: ReturnType<typeof anIndex>, filter: CallFilter, limit: number, between = () => {}) {
  const pages: Awaited<ReturnType<typeof listCalls>>['items'][] = [];
  let before: CallPosition | undefined;
  do {
    const page = await listCalls(index, ORG, filter, { limit, before });
    pages.push(page.items);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    before = page.next;
    between();
  } while (before);
  return pages.flat().map(({ call_id }) => call_id);
}

const optional = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

describe('list-calls', () => {
  it('lists every matching call once, newest first, while others are placed', async () => {
    const kinds = fc.record({
      status: fc.constantFrom(...callStatuses),
      assistant_id: fc.constantFrom('asst_1', 'asst_2'),
      lead: optional({ crm: 'crm-a' }, { crm: 'crm-b' }),
      callback_status: optional('failed', 'delivered'),
      analysis: optional({ state: 'done', result: { success_eval: 'success' } }),
    });
    const filters = fc.record({
      status: optional(...callStatuses),
      assistant_id: optional('asst_1', 'asst_3'),
      source: optional(...callSources),
      success: optional('success' as const, 'failure' as const),
      callback: optional('failed' as const),
      from: optional(instant(5), instant(20)),
      to: optional(instant(3), instant(25)),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(kinds, { maxLength: 40 }),
        filters,
        fc.integer({ min: 1, max: 9 }),
        async (rows, filter, limit) => {
          const calls = rows.map((row, second) => aCall(second, row as Partial<Call>));
          const index = anIndex(calls);
          let second = 1000;
          const listed = await everyPage(index, filter, limit, () => index.add(aCall(second++)));
          const wanted = calls.toReversed().filter((call) => matchesFilter(call, filter));
          expect(listed).toEqual(wanted.map(({ call_id }) => call_id));
        },
      ),
    );
  });

  it('reads 1,000 calls at most for a filter without matches, and reports how far it has searched', async () => {
    const index = anIndex(Array.from({ length: 1_500 }, (_, second) => aCall(second)));
    const first = await listCalls(index, ORG, { status: 'busy' }, { limit: 50 });
    expect([first.items, first.searchedTo, index.reads]).toEqual([[], instant(500), [200, 800]]);
    const rest = await listCalls(index, ORG, { status: 'busy' }, { limit: 50, before: first.next });
    expect(rest).toEqual({ items: [] });
  });

  it('starts no further read after 400 ms, however little it has found, and continues from there', async () => {
    const index = anIndex(Array.from({ length: 500 }, (_, second) => aCall(second)));
    index.msOfARead = 400;
    const first = await listCalls(index, ORG, { status: 'busy' }, { limit: 50 });
    expect([first.items, first.searchedTo, index.reads]).toEqual([[], instant(300), [200]]);
    expect(await everyPage(index, { status: 'completed' }, 100)).toHaveLength(500);
  });

  it('reads only one page if only times are filtered', async () => {
    const index = anIndex(Array.from({ length: 100 }, (_, second) => aCall(second)));
    await listCalls(index, ORG, { from: instant(10) }, { limit: 20 });
    expect(index.reads).toEqual([20]);
  });

  it.each([
    ['older than the times', instant(1), []],
    ['newer than the times', instant(90), ['call_7', 'call_6', 'call_5']],
  ])('takes a start %s', async (_what, created_at, listed) => {
    const index = anIndex(Array.from({ length: 9 }, (_, second) => aCall(second)));
    const before = { call_id: 'call_x', created_at };
    const page = await listCalls(index, ORG, { from: instant(5), to: instant(7) }, { limit: 5, before });
    expect(page.items.map(({ call_id }) => call_id)).toEqual(listed);
  });
});
