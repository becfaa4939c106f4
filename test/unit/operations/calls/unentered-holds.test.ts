import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { endedByService } from '../../../../shared/domain/calls/ending.ts';
import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { holdEntry, settlementEntry, topUpEntry } from '../../../../shared/domain/organizations/ledger-entry.ts';
import { listCreditEntries, newestCreditEntries } from '../../../../shared/operations/calls/list-credit-entries.ts';
import { placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { endCall } from '../../../../shared/operations/calls/steps/end-call.ts';
import type { DatabaseOptions } from '../../support/worlds/database.ts';
import { anAssistant, anOrg, CREDIT, ORG } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const HOLD = 10_000;
const TALK_SECONDS = 61;
const COST = 2_000;
const apiKey = newApiKey(ORG);
const key = { key_hash: hashApiKey(apiKey), key_id: 'key_1', org_id: ORG, name: 'k', permissions: ['calls:write'] };

/** An organization with its first top-up, whose calls a client places. */
function aHouse(options: DatabaseOptions = {}) {
  const contents = {
    organizations: [anOrg()],
    assistants: [anAssistant()],
    'api-keys': [{ ...key, created_at: '2026-01-01T00:00:00.000Z' }],
    'credit-ledger': [topUpEntry(ORG, 'first', CREDIT, '2026-01-01T00:00:00.000Z')],
  };
  const world = aWorld(contents, undefined, options);
  let requests = 0;
  const place = async (): Promise<Call> => {
    world.pass(1);
    const placed = await placeCall(world.common, {
      requestId: `request-${++requests}`,
      authorization: `Bearer ${apiKey}`,
      from: {},
      body: {
        ok: true,
        request: {
          phone_number: '+919812345678',
          assistant_id: 'asst_1',
          metadata: {},
          idempotency_key: undefined,
          callback_url: undefined,
        },
      },
    });
    if (placed.kind !== 'placed') throw new Error(placed.kind);
    return world.callOf(placed.call.call_id);
  };
  const end = async (call: Call) => {
    world.pass(1);
    const at = new Date(world.now);
    const ending = { ...endedByService('failed', 'customer-ended-call', at), duration: TALK_SECONDS };
    return endCall(world.common, world.callOf(call.call_id), { ...ending, platformId: 'p-1' });
  };
  const expire = async (call: Call) =>
    endCall(world.common, world.callOf(call.call_id), endedByService('failed', 'expired', new Date(world.now)));
  /** Adds calls that hold no credit. */
  const placeOthers = (count: number, like: Call) => {
    for (let number = 1; number <= count; number += 1) {
      world.pass(1);
      const created_at = new Date(world.now).toISOString();
      const { hold_unentered: _, ...other } = { ...like, call_id: `call_${number}_${created_at}`, created_at };
      world.putCall({ ...other, status: 'completed' });
    }
  };
  const entries = () => newestCreditEntries(world.common, ORG, 100);
  /** Fails unless the columns of the listed entries sum to the organization's credit. */
  const expectBalance = async () => {
    const listed = await entries();
    const [org] = world.all('organizations') as { available: number; held: number }[];
    if (!org) throw new Error('no organization');
    const sum = (column: 'amount' | 'held') => listed.reduce((total, entry) => total + entry[column], 0);
    expect([sum('amount'), sum('held')]).toEqual([org.available + org.held, org.held]);
  };
  const kinds = async () => (await entries()).map(({ kind, held, call_id }) => [kind, held, call_id ?? null]);
  return Object.assign(world, { place, placeOthers, end, expire, entries, expectBalance, kinds });
}

describe('the ledger with a call by REST', () => {
  it('lists the hold of the call while it is open, and keeps it in its place when it has ended', async () => {
    const house = aHouse();
    const call = await house.place();
    const { call_id: callId } = call;
    const hold = ['hold', HOLD, callId];
    const topUp = ['top_up', 0, null];
    expect(await house.kinds()).toEqual([hold, topUp]);
    const [shown] = await house.entries();
    await house.end(call);
    expect(await house.kinds()).toEqual([['settlement', -HOLD, callId], hold, topUp]);
    expect((await house.entries())[1]).toEqual(shown);
    expect(house.all('organizations')).toMatchObject([{ available: CREDIT - COST, held: 0, holds_unentered: 0 }]);
    expect(house.callOf(callId)).not.toHaveProperty('hold_unentered');
  });

  it('sums to the credit at every moment: while calls are open, end, expire, and wherever a worker dies', async () => {
    for await (const [house] of worldThatDies(
      aHouse,
      async ({ place, end, expire }) => {
        const [first, second] = [await place(), await place()];
        await end(first);
        await place();
        await expire(second);
      },
      8,
    ))
      await house.expectBalance();
  });

  it('has each entry once, although a call ends twice at once, and while the list is read', async () => {
    const house = aHouse();
    const call = await house.place();
    const [listed] = await Promise.all([house.kinds(), house.end(call), house.end(call), house.expire(call)]);
    for (const kinds of [listed, await house.kinds()])
      expect(kinds.filter(([kind]) => kind === 'hold')).toEqual([['hold', HOLD, call.call_id]]);
    expect(await house.kinds()).toHaveLength(3);
    await house.expectBalance();
  });

  it('lists each entry once in pages of any length, while the calls end', async () => {
    for (const limit of [1, 2, 3, 5]) {
      const house = aHouse();
      const calls = [await house.place(), await house.place(), await house.place()];
      await house.end(calls[1] as Call);
      const wanted = (await house.entries()).map(({ entry }) => entry);
      const seen: string[] = [];
      let before: string | undefined;
      for (const ending of [calls[2], calls[0], undefined, undefined, undefined]) {
        const page = await listCreditEntries(house.common, ORG, { limit, ...(before !== undefined && { before }) });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items.map(({ entry }) => entry.entry));
        before = page.last?.entry;
        if (before === undefined) break;
        if (ending) await house.end(ending);
      }
      expect(seen).toEqual(wanted);
      expect(before).toBeUndefined();
    }
  });

  it('lists only the holds of a range', async () => {
    const house = aHouse();
    const [first, second, third] = [await house.place(), await house.place(), await house.place()];
    const range = { from: second.created_at, to: second.created_at, limit: 9 };
    const { items } = await listCreditEntries(house.common, ORG, range);
    expect(items.map(({ entry, call }) => [entry.call_id, call?.phone_number])).toEqual([
      [second.call_id, second.phone_number],
    ]);
    expect(first.created_at < third.created_at).toBe(true);
  });

  it('ends a call although a restore has torn its end, so that the ledger has the hold already', async () => {
    const house = aHouse();
    const call = await house.place();
    house.put('credit-ledger', holdEntry(call, HOLD, call.created_at));
    await house.end(call);
    expect(house.callOf(call.call_id).status).toBe('failed');
    expect(house.all('organizations')).toMatchObject([{ available: CREDIT - COST, held: 0, holds_unentered: 0 }]);
    await house.expectBalance();
  });

  it('lists the hold of an open call on a later page of the calls than one that has just ended', async () => {
    const house = aHouse();
    const open = await house.place();
    house.placeOthers(9, open);
    const ended = await house.place();
    house.freezeIndexes();
    await house.end(ended);
    expect((await house.kinds()).filter(([kind]) => kind === 'hold')).toEqual([
      ['hold', HOLD, ended.call_id],
      ['hold', HOLD, open.call_id],
    ]);
    await house.expectBalance();
  });

  it('lists the hold of an open call on a later page of the calls than one that was placed meanwhile', async () => {
    const house = aHouse();
    const open = await house.place();
    house.placeOthers(9, open);
    house.hooks.before = async (operation) => {
      if (operation !== 'Query') return;
      delete house.hooks.before;
      await house.place();
    };
    const holds = (await house.kinds()).filter(([kind]) => kind === 'hold');
    expect(holds).toEqual([
      ['hold', HOLD, expect.not.stringContaining(open.call_id)],
      ['hold', HOLD, open.call_id],
    ]);
  });

  it('sums to the credit whatever calls are placed and end, and however late the index is', async () => {
    const steps = fc.constantFrom('place', 'end', 'end newest', 'expire', 'place others', 'lag', 'catch up');
    const rule = async (actions: string[]) => {
      const late: (() => void)[] = [];
      let isLate = false;
      const house = aHouse({ reindex: (update) => (isLate ? late.push(update) : update()) });
      const open: Call[] = [];
      const first = await house.place();
      open.push(first);
      for (const action of actions) {
        if (action === 'place' && open.length < 9) open.push(await house.place());
        if (action === 'place others') house.placeOthers(4, first);
        if (action === 'lag') isLate = true;
        if (action === 'catch up') for (isLate = false; late.length > 0; ) late.shift()?.();
        const ending = action === 'end newest' ? open.pop() : /end|expire/.test(action) ? open.shift() : undefined;
        if (ending) await (action === 'expire' ? house.expire(ending) : house.end(ending));
        await house.expectBalance();
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(steps, { maxLength: 30 }), rule), { numRuns: 60 });
  });

  it('has one entry for the holds of calls that the index does not show yet', async () => {
    const house = aHouse();
    const seen = await house.place();
    house.freezeIndexes();
    await house.place();
    await house.place();
    expect(await house.kinds()).toEqual([
      ['hold', 2 * HOLD, null],
      ['hold', HOLD, seen.call_id],
      ['top_up', 0, null],
    ]);
    await house.expectBalance();
  });

  it('still sums to the credit if the former release ends the call, or places it', async () => {
    const house = aHouse();
    const ended = await house.place();
    // That release neither knows the mark nor adds the hold.
    const settled = settlementEntry(ended, { held: HOLD, cost: COST }, new Date(house.now).toISOString());
    await house.common.transact({
      credit: house.common.organizations.settling(ORG, { held: HOLD, cost: COST }),
      ledger: house.common.ledger.adding(settled),
    });
    house.putCall({ ...ended, status: 'completed' });
    await house.expectBalance();
    const { hold_unentered: _, ...placed } = await house.place();
    house.putCall(placed);
    const org = house.all('organizations')[0] as { holds_unentered: number };
    house.put('organizations', { ...org, holds_unentered: org.holds_unentered - HOLD });
    house.put('credit-ledger', holdEntry(placed, HOLD, placed.created_at));
    await house.expectBalance();
    await house.end(placed);
    await house.expectBalance();
  });
});
