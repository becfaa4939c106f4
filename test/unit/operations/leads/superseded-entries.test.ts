import { withdrawCall } from '../../../../shared/operations/calls/steps/withdraw-call.ts';
import { anOrg, ist, MONDAY, TUESDAY, WEDNESDAY } from '../../support/worlds/items.ts';
import {
  aQueuedLead,
  aScheduledLead,
  atItsOpening,
  ENTRY,
  found,
  HOLD,
  type LeadWorld,
  leadWorld,
  NOON,
  OPENS,
  runUntilDecided,
  unavailable,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

/** Each entry with the one that supersedes it. */
const marks = (world: LeadWorld) =>
  world.entries().map(({ event_id, outcome, superseded_by = '–' }) => `${event_id} ${outcome} > ${superseded_by}`);

/** Fails the updates of Activity, like a table that throttles. */
const refuseMarks = (world: LeadWorld) => {
  world.hooks.before = (operation, { TableName }) => {
    if (operation === 'Update' && TableName === 'activity')
      throw Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
  };
};

const POSTPONED = `evt_1.dial.${ist(MONDAY, '14:00')}`;
const NEXT_ENTRY = 'evt_1.release.202603040330';

describe('the entry of a scheduled call', () => {
  it('names its release, whose entry names the end of the call that never rang', async () => {
    const { world, message } = await atItsOpening();
    await world.release(message);
    expect(marks(world)).toEqual([`evt_1 call scheduled > ${ENTRY}`, `${ENTRY} call queued > –`]);
    world.dialing = { kind: 'refused', reason: 'platform answered 400' };
    expect(await world.dial()).toBe('refused');
    expect(marks(world)).toEqual([
      `evt_1 call scheduled > ${ENTRY}`,
      `${ENTRY} call queued > evt_1.dial`,
      'evt_1.dial refused_by_platform > –',
    ]);
  });

  it('names the release that postpones the call, whose entry names the next release', async () => {
    const { world, message } = await atItsOpening();
    world.crm = () => ({ ...unavailable('status 400'), isFinal: true });
    expect(await world.release(message)).toBe('call scheduled');
    world.crm = () => found();
    world.now = ist(WEDNESDAY, '09:00');
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    expect(marks(world)).toEqual([
      `evt_1 call scheduled > ${ENTRY}`,
      `${ENTRY} call scheduled > ${NEXT_ENTRY}`,
      `${NEXT_ENTRY} call queued > –`,
    ]);
  });

  it('names the cancelation of its call when its connection is switched off', async () => {
    const world = await aScheduledLead();
    await world.switchOff(world.connectionChange({ auto_call: false }));
    expect(marks(world)).toEqual([`evt_1 call scheduled > ${ENTRY}`, `${ENTRY} auto_call_disabled > –`]);
  });

  it('names a release that waited for the CRM for an hour, and so does the entry about this wait', async () => {
    const { world, message } = await atItsOpening();
    world.crm = () => unavailable('it answered 503');
    expect(await runUntilDecided(world, world.release, message)).toMatchObject({ result: 'call scheduled' });
    expect(marks(world)).toEqual([
      `evt_1 call scheduled > ${ENTRY}`,
      `${ENTRY}.waiting crm_unavailable > ${ENTRY}`,
      `${ENTRY} call scheduled > –`,
    ]);
  });

  it('names its release, wherever the worker dies', async () => {
    const begin = async () => (await atItsOpening()).world;
    for await (const [world, cut] of worldThatDies(begin, (each) => each.release(each.releaseMessage()))) {
      const message = { ...world.event({ event_id: ENTRY, source: 'release' as const }), original_event_id: 'evt_1' };
      await world.release({ ...message, scheduled_for: OPENS });
      expect([cut, marks(world)]).toEqual([cut, [`evt_1 call scheduled > ${ENTRY}`, `${ENTRY} call queued > –`]]);
    }
  });

  it('stays as it is if a person cancels the call, also at a late release', async () => {
    const { world, message } = await atItsOpening();
    expect(await world.cancel()).toBe('canceled');
    expect(await world.release(message)).toBe('not_scheduled');
    expect(marks(world)).toEqual(['evt_1 call scheduled > –']);
  });
});

describe('the entry of a queued call', () => {
  const aLateCall = async () => {
    const world = await aQueuedLead();
    world.now = ist(MONDAY, '14:00');
    return world;
  };

  it('stays as it is if the phone rings', async () => {
    const world = await aQueuedLead();
    expect(await world.dial()).toBe('accepted');
    expect(marks(world)).toEqual(['evt_1 call queued > –']);
  });

  it('stays as it is if the platform reports a ring before the refusal of the dial is recorded', async () => {
    const world = await aQueuedLead();
    world.deps.voice.dial = async () => {
      world.putCall({ ...world.call(), status: 'ringing', platform_id: 'p1' });
      return { kind: 'refused', reason: 'platform answered 400' };
    };
    await world.dial();
    expect(world.call()).toMatchObject({ status: 'ringing', platform_id: 'p1' });
    expect([marks(world), world.counted]).toEqual([['evt_1 call queued > –'], []]);
  });

  it('names the postponement, which names the release in the next window', async () => {
    const world = await aLateCall();
    expect(await world.dial()).toBe('postponed');
    world.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    await withdrawCall(world.deps, world.call(), 'failed', 'expired');
    expect(marks(world).toSorted()).toEqual(
      [
        `${POSTPONED} call scheduled > ${ENTRY}`,
        `evt_1 call queued > ${POSTPONED}`,
        'evt_1.dial expired > –',
        `${ENTRY} call queued > evt_1.dial`,
      ].toSorted(),
    );
  });

  it('names the end, which names its own retry', async () => {
    const world = await aQueuedLead();
    await withdrawCall(world.deps, world.call(), 'failed', 'platform_unreachable');
    await world.retry('platform_unreachable');
    for (const { message } of world.queued.splice(0)) await world.process(message);
    expect(marks(world)).toEqual([
      'evt_1 call queued > evt_1.dial',
      'evt_1.dial platform_unreachable > evt_1.dial.retry.1',
      'evt_1.dial.retry.1 call queued > –',
    ]);
    await withdrawCall(world.deps, world.call('evt_1.dial'), 'failed', 'platform_unreachable');
    expect(marks(world).slice(2)).toEqual([
      'evt_1.dial.retry.1 call queued > evt_1.dial.dial',
      'evt_1.dial.dial platform_unreachable > –',
    ]);
  });

  it('of a retry, not of the event, names the end', async () => {
    const world = leadWorld({ organizations: [anOrg({ available: 0 })] });
    await world.process(world.event());
    world.put('organizations', anOrg());
    await world.retry('insufficient_credits');
    for (const { message } of world.queued.splice(0)) await world.process(message);
    await withdrawCall(world.deps, world.call(), 'failed', 'expired');
    expect(marks(world)).toEqual([
      'evt_1 insufficient_credits > evt_1.retry.1',
      'evt_1.retry.1 call queued > evt_1.dial',
      'evt_1.dial expired > –',
    ]);
  });
});

describe('the entry about a wait', () => {
  it('for the CRM names the decision of the event', async () => {
    const world = leadWorld();
    world.crm = () => unavailable('it answered 503');
    const sweep = world.event({ source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true });
    await world.process(sweep);
    while (marks(world).length === 0) {
      const { message, delay } = world.queued.shift() ?? { message: sweep, delay: 0 };
      world.pass(delay);
      await world.process(message);
    }
    expect(marks(world)).toEqual(['evt_1.waiting crm_unavailable > –']);
    world.crm = () => found();
    const { message } = world.queued.shift() ?? { message: sweep };
    await world.process(message);
    expect(marks(world)).toEqual(['evt_1.waiting crm_unavailable > evt_1', 'evt_1 call queued > –']);
  });

  const overLimit = async () => {
    const world = await aQueuedLead(NOON, { organizations: [anOrg({ daily_limit: 1 })] });
    expect(await world.dial()).toBe('spend_limit_reached');
    expect(marks(world)).toEqual(['evt_1 call queued > –', 'evt_1.spend.2026-03-02 spend_limit_reached > –']);
    return world;
  };

  it('for a spend limit names the entry of the call once its phone rings', async () => {
    const world = await overLimit();
    world.put('organizations', anOrg({ daily_limit: HOLD }));
    world.pass(600);
    expect(await world.dial()).toBe('accepted');
    expect(marks(world)).toEqual(['evt_1 call queued > –', 'evt_1.spend.2026-03-02 spend_limit_reached > evt_1']);
  });

  it('for a spend limit names the postponement of the call', async () => {
    const world = await overLimit();
    world.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe('postponed');
    expect(marks(world)).toEqual([
      `evt_1 call queued > ${POSTPONED}`,
      `evt_1.spend.2026-03-02 spend_limit_reached > ${POSTPONED}`,
      `${POSTPONED} call scheduled > –`,
    ]);
  });

  it('for a spend limit names the wait of the next day', async () => {
    const world = await overLimit();
    world.put('calls', { ...world.all('calls')[0], dial_by: ist(TUESDAY, '23:00') });
    world.now = ist(TUESDAY, '10:00');
    expect(await world.dial()).toBe('spend_limit_reached');
    expect(marks(world)).toEqual([
      'evt_1 call queued > –',
      'evt_1.spend.2026-03-02 spend_limit_reached > evt_1.spend.2026-03-03',
      'evt_1.spend.2026-03-03 spend_limit_reached > –',
    ]);
  });
});

describe('a mark that cannot be written', () => {
  const warning = (event_id: string) => ({
    ...{ message: 'superseded entries of Activity are not marked', connection_id: 'conn_1', event_id },
    reason: 'ThrottlingException',
  });

  it.each<[string, () => Promise<LeadWorld>, (world: LeadWorld) => Promise<unknown>, string, string]>([
    [
      'a release',
      async () => (await atItsOpening()).world,
      (world) => world.release(world.releaseMessage()),
      'queued',
      ENTRY,
    ],
    [
      'an end',
      aQueuedLead,
      (world) => withdrawCall(world.deps, world.call(), 'failed', 'expired'),
      'failed',
      'evt_1.dial',
    ],
  ])('is logged, and undoes nothing: %s', async (_of, begin, run, status, entry) => {
    const world = await begin();
    refuseMarks(world);
    await run(world);
    expect(world.call().status).toBe(status);
    expect(world.logged).toEqual([warning(entry)]);
    expect(world.entries().map(({ superseded_by }) => superseded_by)).toEqual([undefined, undefined]);
  });
});
