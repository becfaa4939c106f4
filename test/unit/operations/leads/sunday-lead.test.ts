import fc from 'fast-check';
import { hiddenSundayClaimFor, sundayClaimKey } from '../../../../shared/domain/calls/dialing/sunday-claim.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import type { Contents, Send } from '../../support/worlds/database.ts';
import { anOrg, CREDIT, ist, ORG } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  aClaim,
  CONNECTION,
  claimsOf,
  type LeadWorld,
  leadWorld,
  PHONE,
  windowOf,
} from '../../support/worlds/lead-world.ts';
import { LIST_KEY } from '../../support/worlds/world.ts';

describe('a lead of the Sunday sweep', () => {
  const [SUNDAY, HOURS_20] = ['2026-03-08', 20 * 3_600_000];
  const NOON = ist(SUNDAY, '12:00');
  const excluded = windowOf('09:00', '21:00', true);
  const withoutSunday = { connections: [aCallingConnection({ settings: { ...excluded, sunday_rnr_retry: 'true' } })] };
  const optOut = (world: LeadWorld) => world.put('connections', aCallingConnection({ settings: excluded }));
  const sundayKey = sundayClaimKey(CONNECTION, '1001');
  /** The claim of a sweep, this many milliseconds before noon. */
  const claimed = (ms: number, eventId = 'evt_0') =>
    aClaim(sundayKey, eventId, new Date(Date.parse(NOON) - ms).toISOString());
  const onSunday = (over: Contents = {}, wrap?: (send: Send) => Send, at = NOON) => {
    const world = leadWorld(over, wrap);
    world.now = at;
    return world;
  };
  const sweep = (world: LeadWorld, event_id = 'evt_sweep') =>
    world.process(world.event({ event_id, source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true }));

  it('is called on an excluded Sunday, marked as a lead of the sweep, with a claim of its own', async () => {
    const world = onSunday(withoutSunday);
    expect(await sweep(world)).toBe('call queued');
    expect(world.call('evt_sweep')).toMatchObject({
      status: 'queued',
      request_metadata: { sunday_rnr_retry: 'true' },
      lead: { event: 'sunday_retry', window: { exclude_sunday: false } },
    });
    expect(world.claims()).toEqual([...claimsOf(SUNDAY, PHONE, 'evt_sweep'), `${sundayKey} = evt_sweep`]);
  });

  it('does not open the Sunday for an edit of the lead', async () => {
    const world = onSunday(withoutSunday);
    expect(await world.process(world.event())).toBe('call scheduled');
    expect(world.claims()).toEqual(claimsOf('2026-03-09'));
    expect(world.call().request_metadata).not.toHaveProperty('sunday_rnr_retry');
  });

  it('waits on the Sunday until its call window opens', async () => {
    const world = onSunday(withoutSunday, undefined, ist(SUNDAY, '08:00'));
    expect(await sweep(world)).toBe('call scheduled');
    expect(world.call('evt_sweep').scheduled_for).toBe(ist(SUNDAY, '09:00'));
    world.now = ist(SUNDAY, '09:00');
    expect(await world.release(world.releaseMessage('evt_sweep'))).toBe('call queued');
    expect(world.call('evt_sweep').lead?.window).toMatchObject({ exclude_sunday: false });
  });

  it('is not called on an excluded Sunday if the connection opted out before its decision', async () => {
    const world = onSunday(withoutSunday);
    optOut(world);
    expect(await sweep(world)).toBe('call scheduled');
    expect(world.call('evt_sweep').scheduled_for).toBe(ist('2026-03-09', '09:00'));
  });

  it('is not called on an excluded Sunday if the connection opted out before its release', async () => {
    const world = onSunday(withoutSunday, undefined, ist(SUNDAY, '08:00'));
    await sweep(world);
    optOut(world);
    world.now = ist(SUNDAY, '09:00');
    expect(await world.release(world.releaseMessage('evt_sweep'))).toBe('call scheduled');
    expect(world.call('evt_sweep').scheduled_for).toBe(ist('2026-03-09', '09:00'));
  });

  it.each([
    ['at once', '12:00'],
    ['at its release', '08:00'],
  ])('keeps its mark in the retry of a decision %s, and is called', async (_when, time) => {
    const world = onSunday(
      { ...withoutSunday, organizations: [anOrg({ available: 0 })] },
      undefined,
      ist(SUNDAY, time),
    );
    const decided = await sweep(world);
    if (decided === 'call scheduled') {
      world.now = ist(SUNDAY, '09:00');
      expect(await world.release(world.releaseMessage('evt_sweep'))).toBe('insufficient_credits');
    } else expect(decided).toBe('insufficient_credits');
    world.put('organizations', anOrg());
    expect(await world.retry('insufficient_credits')).toBe(1);
    const [{ message }] = world.queued as [(typeof world.queued)[0]];
    expect(message).toMatchObject({ sunday_rnr_retry: true, event: 'sunday_retry' });
    expect(await world.process(message)).toBe('call queued');
    const queued = world.calls().filter(({ status }) => status === 'queued');
    expect(queued).toMatchObject([{ request_metadata: { sunday_rnr_retry: 'true' } }]);
    expect(world.claims()).toContainEqual(expect.stringContaining(sundayKey));
  });

  describe.each<[string, number, string]>([
    ['20 hours', HOURS_20, 'call queued'],
    ['20 hours less a millisecond', HOURS_20 - 1, 'retried_recently'],
    ['a moment', 0, 'retried_recently'],
    ['a week', 7 * 24 * 3_600_000, 'call queued'],
  ])('that the sweep called %s ago', (_name, ms, outcome) => {
    const isCalled = outcome === 'call queued';

    it('is called again only after 20 hours', async () => {
      const world = onSunday({ claims: [claimed(ms)] });
      expect(await sweep(world)).toBe(outcome);
      expect(world.claims()).toContain(`${sundayKey} = ${isCalled ? 'evt_sweep' : 'evt_0'}`);
      expect(world.calls()).toHaveLength(isCalled ? 1 : 0);
      expect(world.requests.includes('TransactWrite')).toBe(isCalled);
    });

    it('gets the same decision if an erasure replaced the claim by a keyed hash', async () => {
      const key = sundayClaimKey(CONNECTION, erasedNumber(LIST_KEY, ORG, '1001'));
      const world = onSunday({ claims: [hiddenSundayClaimFor(key, claimed(ms))] });
      expect(await sweep(world)).toBe(outcome);
      expect(world.calls()).toHaveLength(isCalled ? 1 : 0);
    });

    it('gets the same decision if the claim appears in the transaction, and a refusal writes no item', async () => {
      const world = onSunday();
      world.hooks.before = (operation) => {
        if (operation === 'TransactWrite') world.put('claims', claimed(ms));
      };
      expect(await sweep(world)).toBe(outcome);
      expect(world.calls()).toHaveLength(isCalled ? 1 : 0);
      if (!isCalled) expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    });
  });

  it('is not stopped by its own claim, which does not stop other events either', async () => {
    expect(await sweep(onSunday({ claims: [claimed(1000, 'evt_sweep')] }))).toBe('call queued');
    const edited = onSunday({ claims: [claimed(1000)] });
    expect(await edited.process(edited.event())).toBe('call queued');
  });

  it('is called once, however many runs of the sweep deliver it, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 4 }), fc.scheduler(), async (runs, scheduler) => {
        const world = onSunday({}, (send) => scheduler.scheduleFunction(send));
        const swept = Array.from({ length: runs }, (_, run) => sweep(world, `evt_${run}`));
        const results = await scheduler.waitFor(Promise.all(swept));
        const others = results.filter((result) => result !== 'call queued');
        expect(others).toHaveLength(runs - 1);
        expect(others.filter((result) => !/^(retried_recently|already_called)/.test(result))).toEqual([]);
        expect(world.calls()).toHaveLength(1);
        expect(world.claims()).toHaveLength(3);
      }),
      { numRuns: 60 },
    );
  });
});
