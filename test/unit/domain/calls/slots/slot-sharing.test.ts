import fc from 'fast-check';
import {
  freeSlots,
  hasManySlots,
  liveLimit,
  shareSlots,
  type WaitingOrg,
} from '../../../../../shared/domain/calls/slots/slot-sharing.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const START = '2026-03-02T06:00:00.000Z';
const unlimited = Number.POSITIVE_INFINITY;
const org = (org_id: string, over: Partial<WaitingOrg> = {}): WaitingOrg => ({
  org_id,
  live: 0,
  limit: unlimited,
  since: START,
  due: unlimited,
  ...over,
});
const shared = (orgs: WaitingOrg[], free: number) => Object.fromEntries(shareSlots(orgs, free));

describe('free slots', () => {
  it('are the stage’s unused ones, or zero while dialing is paused', () => {
    expect(freeSlots({ live: 7, paused: false }, 10)).toBe(3);
    expect(freeSlots({ live: 11, paused: false }, 10)).toBe(0);
    expect(freeSlots({ live: 0, paused: true }, 10)).toBe(0);
  });

  it('are reserved in steps by a stage that has more slots than dials can soon use', () => {
    expect([12, 13].map(hasManySlots)).toEqual([false, true]);
  });

  it("are limited by the organization's limit, and zero for a suspended or unknown organization", () => {
    expect([liveLimit({}), liveLimit({ max_live_calls: 3 })]).toEqual([unlimited, 3]);
    expect([liveLimit({ max_live_calls: 3, suspended_at: START }), liveLimit(undefined)]).toEqual([0, 0]);
  });

  it('go to the organization with the fewest live calls, and then to the one that has waited longest', () => {
    expect(shared([org('a', { live: 5 }), org('b', { live: 1 }), org('c')], 1)).toEqual({ c: 1 });
    expect(shared([org('a', { live: 5 }), org('b', { live: 1 }), org('c')], 4)).toEqual({ b: 2, c: 2 });
    expect(shared([org('late', { since: secondsAfter(START, 1) }), org('early')], 1)).toEqual({ early: 1 });
  });

  it('all go to a single organization while no other waits', () => {
    expect(shared([org('a', { live: 3 })], 6)).toEqual({ a: 6 });
  });

  const anyOrg = fc.record({
    live: fc.nat(6),
    limit: fc.oneof(fc.nat(6), fc.constant(unlimited)),
    due: fc.oneof(fc.nat(4), fc.constant(unlimited)),
    since: fc.nat(5).map((seconds) => secondsAfter(START, seconds)),
  });
  const anyOrgs = fc.array(anyOrg, { maxLength: 8 }).map((all) => all.map((one, index) => org(`org${index}`, one)));

  it('are never left over while a call could use one, and never exceed a limit or the waiting calls', () => {
    forAll([anyOrgs, fc.nat(20)], (orgs, free) => {
      const shares = shareSlots(orgs, free);
      const shareOf = ({ org_id }: WaitingOrg) => shares.get(org_id) ?? 0;
      const used = orgs.reduce((sum, one) => sum + shareOf(one), 0);
      const usable = orgs.reduce((sum, one) => sum + Math.max(0, Math.min(one.limit - one.live, one.due)), 0);
      expect(used).toBe(Math.min(free, usable));
      for (const one of orgs)
        expect(shareOf(one)).toBeLessThanOrEqual(Math.max(0, Math.min(one.limit - one.live, one.due)));
    });
  });

  it('go to no organization that then has two more live calls than another that waits', () => {
    forAll([anyOrgs, fc.nat(20)], (orgs, free) => {
      const shares = shareSlots(orgs, free);
      const after = orgs.map((one) => ({ ...one, share: shares.get(one.org_id) ?? 0 }));
      for (const poor of after.filter(({ live, limit, due, share }) => live + share < limit && share < due))
        for (const rich of after.filter(({ share }) => share > 0))
          expect(rich.live + rich.share).toBeLessThanOrEqual(poor.live + poor.share + 1);
    });
  });
});
