import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callsWanted, chooseCalls, dueCalls, freeSlots } from '../../../../shared/domain/calls/slot-choice.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../support/for-all.ts';
import { aCall } from '../../support/call.ts';

const start = '2026-03-02T06:00:00.000Z';
const waiting = (call_id: string, org_id = 'org1') => aCall({ call_id, org_id });
const ids = (calls: readonly { call_id: string }[]) => calls.map(({ call_id }) => call_id);

describe('a freed slot', () => {
  it('requests two more calls than the number of free slots', () => {
    expect(callsWanted({ live: 7, paused: false }, 10)).toBe(5);
    expect(callsWanted({ live: 0, paused: false }, 10)).toBe(12);
  });

  it('requests no call while dialing is paused or every slot is taken', () => {
    expect(callsWanted({ live: 0, paused: true }, 10)).toBe(0);
    for (const live of [10, 11]) expect(callsWanted({ live, paused: false }, 10)).toBe(0);
  });
});

describe('the free slots of an organization', () => {
  it('are its limit minus its live calls, unlimited without a limit, and zero while it is suspended', () => {
    expect(freeSlots({ max_live_calls: 3 }, 1)).toBe(2);
    expect(freeSlots({ max_live_calls: 0 }, 0)).toBe(0);
    expect(freeSlots({}, 1_000)).toBe(Number.POSITIVE_INFINITY);
    expect(freeSlots({ suspended_at: start, max_live_calls: 3 }, 0)).toBe(0);
  });
});

describe('the due calls', () => {
  it('are the calls between `dial_after` and `dial_by`', () => {
    const calls = [
      aCall({ call_id: 'backs-off', dial_after: secondsAfter(start, 1) }),
      aCall({ call_id: 'due', dial_after: start, dial_by: secondsAfter(start, 1) }),
      aCall({ call_id: 'late', dial_by: start }),
    ];
    expect(ids(dueCalls(calls, new Date(start)))).toEqual(['due']);
  });
});

describe('the choice of calls', () => {
  it('takes calls in their order, within the limits of their organizations', () => {
    const due = [waiting('a', 'org1'), waiting('b', 'org1'), waiting('c', 'org2'), waiting('d', 'org1')];
    const free = new Map(Object.entries({ org1: 2, org2: Number.POSITIVE_INFINITY }));
    expect(ids(chooseCalls([], due, { wanted: 12, free }))).toEqual(['a', 'b', 'c']);
    expect(ids(chooseCalls([], due, { wanted: 2, free }))).toEqual(['a', 'b']);
  });

  it('skips the calls of an organization that is unknown or over its limit', () => {
    const due = [waiting('a', 'gone'), waiting('b', 'over'), waiting('c', 'org1')];
    const free = new Map(Object.entries({ over: -1, org1: 1 }));
    expect(ids(chooseCalls([], due, { wanted: 12, free }))).toEqual(['c']);
  });

  const calls = fc
    .array(fc.constantFrom('org1', 'org2', 'org3', 'org4'), { maxLength: 60 })
    .map((orgs) => orgs.map((org, index) => waiting(`call_${index}`, org)));
  const limits = fc
    .record({ org1: fc.integer({ min: -1, max: 5 }), org2: fc.nat(5), org3: fc.constant(Number.POSITIVE_INFINITY) })
    .map((record) => new Map(Object.entries(record)));

  it('exceeds neither the requested number nor any limit, and omits no call that fits', () => {
    forAll([calls, limits, fc.nat(20)], (due, free, wanted) => {
      const chosen = chooseCalls([], due, { wanted, free });
      const ofOrg = (org: string) => chosen.filter(({ org_id }) => org_id === org).length;
      expect(chosen.length).toBeLessThanOrEqual(wanted);
      for (const org of ['org1', 'org2', 'org3', 'org4'])
        expect(ofOrg(org)).toBeLessThanOrEqual(Math.max(0, free.get(org) ?? 0));
      if (chosen.length === wanted) return;
      for (const call of due)
        expect(chosen.includes(call) || ofOrg(call.org_id) >= (free.get(call.org_id) ?? 0)).toBe(true);
    });
  });

  it('is the same whether the calls arrive at once or in pages', () => {
    forAll([calls, limits, fc.nat(20), fc.integer({ min: 1, max: 9 })], (due, free, wanted, size) => {
      const pages = Array.from({ length: Math.ceil(due.length / size) }, (_page, index) =>
        due.slice(index * size, (index + 1) * size),
      );
      const paged = pages.reduce<typeof due>((chosen, page) => chooseCalls(chosen, page, { wanted, free }), []);
      expect(ids(paged)).toEqual(ids(chooseCalls([], due, { wanted, free })));
    });
  });
});
