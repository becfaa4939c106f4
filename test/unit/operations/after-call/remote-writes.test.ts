import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Call, RemoteWrite } from '../../../../shared/domain/calls/call.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aToken } from '../../../support/access-token.ts';
import { aCrmBSync } from '../../support/crm-b-sync.ts';
import { aHelpDesk, onlyTicket } from '../../support/help-desk.ts';
import { type Fate, FINISHED_AT } from '../../support/remote-writes.ts';
import { type Cut, worldThatDies } from '../../support/world-that-dies.ts';

const HOUR = 3_600;

/** The call log of a call without a note. */
function aCallLog(over: Partial<Call> = {}) {
  const world = aCrmBSync({ transcript_key: undefined, recording: { state: 'none' }, ...over });
  const { create } = world.deps.callLogs;
  return Object.assign(world, {
    fail: (fate: Fate) => world.fates.push(['call_log', fate]),
    requests: () => world.asked.length,
    made: () => world.records.call_log.length,
    mark: (): RemoteWrite | undefined => world.call().call_log,
    isDone: () => world.call().crm_b_sync === 'done',
    error: () => world.call().crm_b_sync_error,
    next: () => world.call().crm_b_sync_after,
    duringRequest: (act: () => unknown) => {
      world.deps.callLogs.create = async (...args) => {
        world.deps.callLogs.create = create;
        const outcome = await create(...args);
        await act();
        return outcome;
      };
    },
  });
}

/** The ticket of a call whose contact already exists at the help desk. */
function aTicket(over: Partial<Call> = {}) {
  const world = aHelpDesk(over, onlyTicket);
  world.contacts.push({ id: 'c-7', phone: '+919812345678' });
  const { create } = world.deps.tickets;
  const { find } = world.deps.contacts;
  // Only lookups of the ticket fail.
  world.deps.contacts.find = async (...args) => {
    const failing = world.lookups.splice(0);
    const found = await find(...args);
    world.lookups.push(...failing);
    return found;
  };
  return Object.assign(world, {
    fail: (fate: Fate) => world.fates.push(['ticket', fate]),
    requests: () => world.asked.length,
    made: () => world.tickets.length,
    mark: (): RemoteWrite | undefined => world.call().ticket,
    isDone: () => world.call().ticket_work === 'done',
    error: () => world.call().ticket_error,
    next: () => world.call().ticket_after,
    duringRequest: (act: () => unknown) => {
      world.deps.tickets.create = async (...args) => {
        world.deps.tickets.create = create;
        const outcome = await create(...args);
        await act();
        return outcome;
      };
    },
  });
}

const systems = {
  'a call log of CRM-B': {
    begin: aCallLog,
    written: 'synced',
    message: 'CRM-B refuses an item of a call: call_log, INVALID_DATA',
    notDue: [
      ['is not from CRM-B', { crm_b_sync: undefined }],
      ['is done', { crm_b_sync: 'done' }],
      ['is not finished', { finished_at: undefined }],
      ['has its next try later', { crm_b_sync_after: secondsAfter(FINISHED_AT, 1) }],
    ] as [string, Partial<Call>][],
  },
  'a ticket of the help desk': {
    begin: aTicket,
    written: 'waiting_for_refresh',
    message: 'the help desk refuses an item of a call: ticket, INVALID_DATA',
    notDue: [
      ['has no help desk', { ticket_work: undefined }],
      ['is done', { ticket_work: 'done' }],
      ['is not finished', { finished_at: undefined }],
      ['has its next try later', { ticket_after: secondsAfter(FINISHED_AT, 1) }],
    ] as [string, Partial<Call>][],
  },
};
type System = (typeof systems)[keyof typeof systems];
type RemoteWorld = ReturnType<System['begin']>;

describe.each(Object.entries<System>(systems))('%s', (_system, { begin, written, message, notDue }) => {
  /** @returns a world whose first write has this fate */
  const withFate = (fate: Fate): RemoteWorld => {
    const world = begin();
    world.fail(fate);
    return world;
  };

  it.each(notDue)('ignores a call that %s', async (_name, over) => {
    const world = begin(over);
    expect(await world.run()).toBe('not_due');
    expect(world.requests()).toBe(0);
  });

  it('is done if it is refused, with the reason on the call and in the log', async () => {
    const world = withFate('refused');
    await world.run();
    expect(world.isDone()).toBe(true);
    expect(world.mark()).toMatchObject({ state: 'failed', error: 'INVALID_DATA' });
    expect(world.warnings()).toEqual([message]);
  });

  it.each<[Fate, string]>([
    ['429', 'too many requests'],
    ['reconnect', 'revoked'],
  ])('is retried without a lookup if it was certainly not written: %s', async (fate, error) => {
    const world = withFate(fate);
    expect(await world.run()).toBe('waiting');
    expect(world.mark()).toBeUndefined();
    expect(world.error()).toBe(error);
    expect(world.warnings()).toEqual([expect.stringContaining(`has not taken an item of a call yet: `)]);
    expect(await world.run()).toBe('not_due');
    await world.untilDone();
    expect([world.made(), world.requests()]).toEqual([1, 2]);
  });

  it('is written once and found if its answer was lost', async () => {
    const world = withFate('done, answer lost');
    expect(await world.run()).toBe('waiting');
    world.pass(16);
    expect(await world.run()).toBe(written);
    expect([world.made(), world.requests()]).toEqual([1, 1]);
    expect(world.mark()).toMatchObject({ state: 'written', id: expect.stringMatching(/-0$/) });
  });

  it('is written again only after two complete lookups a minute apart did not find it', async () => {
    const world = withFate('lost');
    expect(await world.run()).toBe('waiting');
    world.pass(16);
    expect(await world.run()).toBe('waiting');
    world.pass(59.5);
    expect(await world.run()).toBe('not_due');
    world.set({ crm_b_sync_after: undefined, ticket_after: undefined });
    expect(await world.run()).toBe('waiting');
    expect(world.requests()).toBe(1);
    world.pass(0.5);
    expect(await world.run()).toBe(written);
    expect([world.made(), world.requests()]).toEqual([1, 2]);
  });

  it('is not written again after lookups that failed', async () => {
    const world = withFate('lost');
    await world.run();
    world.lookups.push(...Array(3).fill({ kind: 'unavailable', reason: 'status 500' }));
    for (let count = 0; count < 3; count += 1) {
      world.pass(HOUR);
      await world.run();
    }
    expect(world.requests()).toBe(1);
    expect(world.mark()?.absent_since).toBeUndefined();
    await world.untilDone();
    expect(world.made()).toBe(1);
  });

  it('is not requested without an access token, and waits in steps of an hour for a new consent', async () => {
    const world = begin();
    world.token = async () => ({ kind: 'reconnect_needed', reason: 'the grant was revoked' });
    expect(await world.run()).toBe('waiting');
    expect([world.mark(), world.requests()]).toEqual([undefined, 0]);
    expect([world.error(), world.next()]).toEqual(['the grant was revoked', secondsAfter(FINISHED_AT, HOUR)]);
    // No queue can delay a message for an hour, so recover-calls sends the work.
    expect(world.workQueue.sent).toEqual([]);
  });

  it('is written after a new consent', async () => {
    const world = begin();
    const { grant } = world.reconnect({ grant: undefined });
    world.token = async () => ({ kind: 'reconnect_needed', reason: 'revoked' });
    await world.untilDone(20);
    expect(world.isDone()).toBe(false);
    world.reconnect({ grant });
    world.token = async () => aToken('token');
    await world.untilDone(3);
    expect([world.isDone(), world.made()]).toEqual([true, 1]);
  });

  it.each<[string, (world: RemoteWorld) => void, object]>([
    [
      'a revoked grant without a new consent',
      (world) => {
        world.token = async () => ({ kind: 'reconnect_needed', reason: 'revoked' });
      },
      { state: 'failed', error: 'revoked' },
    ],
    [
      'an access token that never comes',
      (world) => {
        world.token = async () => ({ kind: 'unavailable', reason: 'throttled' });
      },
      { state: 'failed', error: 'throttled' },
    ],
    [
      'a lookup that never succeeds',
      (world) => {
        world.fail('lost');
        world.lookups.push(...Array(1000).fill({ kind: 'unavailable', reason: 'status 500' }));
      },
      { state: 'unconfirmed', error: 'status 500' },
    ],
  ])('is given up three days after the call because of %s, and the call is done', async (_name, spoil, mark) => {
    const world = begin();
    spoil(world);
    await world.untilDone(71);
    expect(world.isDone()).toBe(false);
    await world.untilDone(3);
    expect([world.isDone(), world.made()]).toEqual([true, 0]);
    expect(world.mark()).toMatchObject(mark);
  });

  it('is requested by only one of three workers with the same message', async () => {
    const world = begin();
    const outcomes = await Promise.all([world.run(), world.run(), world.run()]);
    expect(outcomes.sort()).toEqual(['not_due', 'not_due', written]);
    expect(world.requests()).toBe(1);
  });

  it('is requested once, even if another worker takes the turn of a worker that is still alive', async () => {
    const world = begin();
    world.duringRequest(async () => {
      world.pass(100);
      expect(await world.run()).toBe(written);
    });
    await world.run();
    await world.untilDone();
    expect([world.made(), world.requests()]).toEqual([1, 1]);
  });
});

describe('at any death of the worker and with a duplicate delivery', () => {
  const crmB = {
    begin: () => aCrmBSync(),
    made: (world: object) => {
      const { records, call } = world as ReturnType<typeof aCrmBSync>;
      const { crm_b_sync, call_log, note } = call();
      return { ...records, work: crm_b_sync, marks: [call_log?.state, call_log?.id, note?.state, note?.id] };
    },
    once: {
      call_log: ['call_log-0'],
      note: ['note-0'],
      work: 'done',
      marks: ['written', 'call_log-0', 'written', 'note-0'],
    },
  };
  const helpDesk = {
    begin: () => aHelpDesk(),
    made: (world: object) => {
      const { contacts, tickets, files, comments, tags, call } = world as ReturnType<typeof aHelpDesk>;
      const { ticket_work, ticket, ticket_tags, ticket_recording, ticket_transcript, ticket_refresh } = call();
      return {
        records: [contacts, tickets, files, comments].map(({ length }) => length),
        tags,
        work: ticket_work,
        marks: [ticket, ticket_tags, ticket_recording, ticket_transcript, ticket_refresh].map((mark) => mark?.state),
      };
    },
    once: { records: [1, 1, 1, 1], tags: ['voice'], work: 'done', marks: Array(5).fill('written') },
  };
  type Dying = { run: () => Promise<unknown>; untilDone: () => Promise<void>; fates: unknown[] };
  const runs: [string, typeof crmB | typeof helpDesk, [string, Fate][]][] = [
    ['CRM-B', crmB, []],
    ['CRM-B', crmB, [['call_log', 'lost']]],
    ['CRM-B', crmB, [['call_log', 'done, answer lost']]],
    ['CRM-B', crmB, [['call_log', '429']]],
    ['CRM-B', crmB, (['call_log', 'note'] as const).map((item) => [item, 'done, answer lost'])],
    ['CRM-B', crmB, (['call_log', 'note'] as const).map((item) => [item, 'lost'])],
    ['the help desk', helpDesk, []],
    ['the help desk', helpDesk, (['contact', 'ticket'] as const).map((what) => [what, 'lost'])],
    ['the help desk', helpDesk, (['contact', 'ticket'] as const).map((what) => [what, 'done, answer lost'])],
    [
      'the help desk',
      helpDesk,
      [
        ['ticket', '429'],
        ['tags', 'lost'],
      ],
    ],
    [
      'the help desk',
      helpDesk,
      [
        ['contact', 'refused'],
        ['ticket', 'done, answer lost'],
      ],
    ],
    [
      'the help desk',
      helpDesk,
      [
        ['contact', 'refused'],
        ['ticket', 'lost'],
      ],
    ],
    [
      'the help desk',
      helpDesk,
      [
        ['attachment', 'done, answer lost'],
        ['comment', 'lost'],
      ],
    ],
  ];

  it.each(runs)('%s gets every item once %#: %j', async (_system, { begin, made, once }, fates) => {
    const beginWith = () => {
      const world = begin();
      (world as Dying).fates.push(...fates);
      return world;
    };
    for await (const [world, cut] of worldThatDies(beginWith, (each) => each.run())) {
      await world.run();
      world.pass(30);
      await world.untilDone();
      expect({ cut, ...made(world) }).toEqual({ cut, ...once });
    }
  });

  it.each([
    ['CRM-B', crmB],
    ['the help desk', helpDesk],
  ])('%s gets every item once, even if two workers die', async (_system, { begin, made, once }) => {
    const cut: fc.Arbitrary<Cut> = fc.record({
      at: fc.integer({ min: 1, max: 40 }),
      moment: fc.constantFrom('before', 'after'),
    });
    await fc.assert(
      fc.asyncProperty(cut, cut, async (first, second) => {
        const world = begin();
        for (const each of [first, second]) {
          await world.dying(each, () => world.run());
          world.pass(400);
        }
        await world.untilDone();
        expect(made(world)).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });

  it('the work of a call without a ticket is completed', async () => {
    const begin = () => aHelpDesk({ analysis: { state: 'none' } });
    for await (const [world, cut] of worldThatDies(begin, (each) => each.run())) {
      await world.run();
      world.pass(30);
      await world.untilDone();
      expect([cut, world.call().ticket_work, world.call().ticket?.state]).toEqual([cut, 'done', 'none']);
      expect(world.asked).toEqual([]);
    }
  });
});
