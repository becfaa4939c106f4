import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { leadClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import { sundayClaimKey } from '../../../../shared/domain/leads/sunday-retry.ts';
import { CREDIT, ist } from '../../support/items.ts';
import { aCallingConnection, aClaim, CONNECTION, claimsOf, leadWorld, PHONE } from '../../support/lead-world.ts';

describe('a lead of the Sunday sweep', () => {
  const SUNDAY = '2026-03-08';
  const withoutSunday = aCallingConnection({ settings: { ...aCallingConnection().settings, exclude_sunday: true } });
  const sweep = (world: ReturnType<typeof leadWorld>, event_id = 'evt_sweep') =>
    world.event({ event_id, source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true });
  const sundayKey = sundayClaimKey(CONNECTION, '1001');
  const claimed = (at: string, eventId = 'evt_0') => aClaim(sundayKey, eventId, at);
  const earlier = (at: string, ms: number) => new Date(Date.parse(at) - ms).toISOString();
  const HOURS_20 = 20 * 3_600_000;
  const NOON = ist(SUNDAY, '12:00');

  it('is called on an excluded Sunday, marked as such, with a claim of its own', async () => {
    const world = leadWorld({ connections: [withoutSunday] });
    world.now = NOON;
    expect(await world.process(sweep(world))).toBe('call queued');
    expect(world.call('evt_sweep')).toMatchObject({
      status: 'queued',
      request_metadata: { sunday_rnr_retry: 'true' },
      lead: { event: 'sunday_retry', window: { exclude_sunday: false } },
    });
    expect(world.claims()).toEqual([...claimsOf(SUNDAY, PHONE, 'evt_sweep'), `${sundayKey} = evt_sweep`]);
    // An edit on the same day does not belong to the sweep.
    const edited = leadWorld({ connections: [withoutSunday] });
    edited.now = NOON;
    expect(await edited.process(edited.event())).toBe('call scheduled');
    expect(edited.claims()).toEqual(claimsOf('2026-03-09'));
    expect(edited.call().request_metadata).not.toHaveProperty('sunday_rnr_retry');
  });

  it('waits on the Sunday until its call window opens', async () => {
    const world = leadWorld({ connections: [withoutSunday] });
    world.now = ist(SUNDAY, '08:00');
    expect(await world.process(sweep(world))).toBe('call scheduled');
    expect(world.call('evt_sweep').scheduled_for).toBe(ist(SUNDAY, '09:00'));
    world.now = ist(SUNDAY, '09:00');
    expect(await world.release(world.releaseMessage('evt_sweep'))).toBe('call queued');
    expect(world.call('evt_sweep').lead?.window).toMatchObject({ exclude_sunday: false });
  });

  it.each<[string, number, string]>([
    ['20 hours', HOURS_20, 'call queued'],
    ['a millisecond less', HOURS_20 - 1, 'retried_recently'],
    ['a moment', 0, 'retried_recently'],
    ['a week', 7 * 24 * 3_600_000, 'call queued'],
  ])('that the sweep called %s ago is called again only after 20 hours', async (_name, ms, outcome) => {
    const world = leadWorld({ claims: [claimed(earlier(NOON, ms))] });
    world.now = NOON;
    expect(await world.process(sweep(world))).toBe(outcome);
    expect(world.claims()).toContain(`${sundayKey} = ${outcome === 'call queued' ? 'evt_sweep' : 'evt_0'}`);
    expect(world.calls()).toHaveLength(outcome === 'call queued' ? 1 : 0);
    // A claim that is already taken at the read prevents the transaction.
    expect(world.requests.includes('TransactWrite')).toBe(outcome === 'call queued');
  });

  it('is not stopped by its own claim, which does not stop other events either', async () => {
    const own = leadWorld({ claims: [claimed(earlier(NOON, 1000), 'evt_sweep')] });
    own.now = NOON;
    expect(await own.process(sweep(own))).toBe('call queued');
    const edit = leadWorld({ claims: [claimed(earlier(NOON, 1000))] });
    edit.now = NOON;
    expect(await edit.process(edit.event())).toBe('call queued');
  });

  it('that a concurrent run of the sweep calls counts as retried recently, without a write', async () => {
    for (const [ms, outcome] of [
      [HOURS_20 - 1, 'retried_recently'],
      [HOURS_20, 'call queued'],
    ] as const) {
      const world = leadWorld();
      world.now = NOON;
      world.hooks.before = (operation) => {
        if (operation === 'TransactWrite') world.put('claims', claimed(earlier(NOON, ms)));
      };
      expect(await world.process(sweep(world))).toBe(outcome);
      expect(world.calls()).toHaveLength(outcome === 'call queued' ? 1 : 0);
      if (outcome === 'retried_recently') expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    }
  });

  it('counts as already called if an edit has caused a call', async () => {
    const world = leadWorld({ claims: [aClaim(leadClaimKey(CONNECTION, '1001', SUNDAY))] });
    world.now = NOON;
    expect(await world.process(sweep(world))).toBe('already_called');
    expect(world.claims()).not.toContain(`${sundayKey} = evt_sweep`);
  });

  it('is called once, however many runs of the sweep deliver it, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 4 }), fc.scheduler(), async (runs, scheduler) => {
        const world = leadWorld({}, (send) => scheduler.scheduleFunction(send));
        world.now = NOON;
        const events = Array.from({ length: runs }, (_, run) => sweep(world, `evt_${run}`));
        const words = await scheduler.waitFor(Promise.all(events.map((event) => world.process(event))));
        expect(words.filter((word) => word === 'call queued')).toHaveLength(1);
        expect(
          words
            .filter((word) => word !== 'call queued')
            .every((word) => /^(retried_recently|already_called)/.test(word)),
        ).toBe(true);
        expect(world.calls()).toHaveLength(1);
        expect(world.claims()).toHaveLength(3);
      }),
      { numRuns: 60 },
    );
  });
});
