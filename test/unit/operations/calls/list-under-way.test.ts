import type { Call } from '../../../../shared/domain/calls/call.ts';
import { countUnderWay, listUnderWay, MAX_UNDER_WAY } from '../../../../shared/operations/calls/under-way.ts';
import { callSearch } from '../../../../shared/stores/calls/call-search.ts';
import { aCall, aClaimedCall, aReservedCall } from '../../support/call.ts';
import { clientOf } from '../../support/worlds/database.ts';
import { ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const at = (minute: number) => new Date(Date.parse(START) + minute * 60_000).toISOString();
const aScheduled = (over: Partial<Call>): Call => aCall({ status: 'scheduled', unfinished: 'scheduled', ...over });
const anEnded = (over: Partial<Call>): Call => aCall({ status: 'completed', unfinished: 'ended', ...over });
const makers = { waiting: aCall, reserved: aReservedCall, claimed: aClaimedCall, ended: anEnded };

function aStage() {
  const world = aWorld();
  const deps = { calls: callSearch(clientOf(world.send), 'calls') };
  const put = (make: (over: Partial<Call>) => Call, call_id: string, minute: number, org_id = ORG) => {
    const scheduled_for = make === aScheduled ? at(minute) : undefined;
    world.putCall(
      make({
        call_id,
        org_id,
        created_at: at(minute),
        dial_by: at(minute + 60),
        ...(scheduled_for && { scheduled_for }),
      }),
    );
  };
  Object.entries(makers).forEach(([name, make], minute) => {
    put(make, name, minute);
    put(make, `${name} of others`, minute, 'org2');
  });
  for (const minute of [30, 10, 20]) {
    put(aScheduled, `at ${minute}`, minute);
    put(aScheduled, `at ${minute} of others`, minute, 'org2');
  }
  const list = async (
    phase: 'live' | 'scheduled',
    more: Partial<Parameters<typeof listUnderWay>[3]> = {},
    filter = {},
  ) => {
    const page = await listUnderWay(deps, ORG, { phase, ...filter }, { limit: 50, ...more });
    return { ...page, ids: page.items.map(({ call_id }) => call_id) };
  };
  return Object.assign(world, { put, list, count: () => countUnderWay(deps, ORG) });
}

describe('calls under way', () => {
  it('are listed: live calls newest first, scheduled calls by their times', async () => {
    const stage = aStage();
    expect((await stage.list('live')).ids).toEqual(['claimed', 'reserved', 'waiting']);
    expect((await stage.list('scheduled')).ids).toEqual(['at 10', 'at 20', 'at 30']);
    expect((await stage.list('live', {}, { status: 'dialing' })).ids).toEqual(['claimed']);
    const count = (number: number) => ({ count: number, is_cut: false });
    expect(await stage.count()).toEqual({ live: count(3), waiting: count(1), scheduled: count(3) });
  });

  it('are listed page by page', async () => {
    const stage = aStage();
    const first = await stage.list('scheduled', { limit: 2 });
    const second = await stage.list('scheduled', { limit: 2, after: first.next });
    expect([first.ids, second.ids, second.next]).toEqual([['at 10', 'at 20'], ['at 30'], undefined]);
  });

  it('report how far the search came if no scheduled call has matched yet', async () => {
    const stage = aStage();
    const none = { assistant_id: 'asst_none' };
    const first = await stage.list('scheduled', { limit: 2 }, none);
    expect([first.ids, first.searchedTo]).toEqual([[], at(80)]);
    const second = await stage.list('scheduled', { limit: 2, after: first.next }, none);
    expect([second.ids, second.searchedTo]).toEqual([[], undefined]);
  });

  it("are found behind any number of other organizations' calls", async () => {
    const stage = aStage();
    // More calls than one page: the database of the tests has pages of three entries.
    for (let number = 0; number < 20; number += 1) stage.put(aScheduled, `first ${number}`, -100, 'org2');
    let page = await stage.list('scheduled');
    const ids = [...page.ids];
    expect([page.ids, page.next]).toEqual([[], expect.anything()]);
    for (let reads = 0; page.next && reads < 9; reads += 1) {
      page = await stage.list('scheduled', { after: page.next });
      ids.push(...page.ids);
    }
    expect(ids).toEqual(['at 10', 'at 20', 'at 30']);
  });

  it('have their current state, even if the index lags', async () => {
    const stage = aStage();
    const { parse } = stage.stores.calls;
    for (const [callId, change] of [
      ['claimed', { status: 'completed' }],
      ['at 10', { status: 'queued' }],
    ] as const) {
      const item = stage.all('calls').find(({ call_id }) => call_id === callId);
      stage.freezeIndexes();
      if (item) stage.putCall({ ...parse(item), ...change });
    }
    expect((await stage.list('live')).ids).not.toContain('claimed');
    expect((await stage.list('scheduled')).ids).not.toContain('at 10');
  });

  it('are counted up to a limit', async () => {
    const stage = aStage();
    for (let number = 0; number <= MAX_UNDER_WAY; number += 1) stage.put(aCall, `call_${number}`, number);
    expect((await stage.count()).live).toEqual({ count: MAX_UNDER_WAY, is_cut: true });
    expect((await stage.list('live')).ids).toHaveLength(MAX_UNDER_WAY);
  });
});
