import fc from 'fast-check';
import type { Call, RemoteWrite } from '../../../../shared/domain/calls/call.ts';
import { turnAttributes } from '../../../../shared/domain/calls/recovery/turn.ts';
import type { TokenResult } from '../../../../shared/domain/connections/access/token-result.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aToken } from '../../../support/connections/access-token.ts';
import { aCrmBSync } from '../../support/crm-b-sync.ts';
import { aHelpDesk, onlyTicket } from '../../support/help-desk.ts';
import { type Fate, FINISHED_AT } from '../../support/remote-writes.ts';
import { type Cut, worldThatDies } from '../../support/worlds/world-that-dies.ts';
import { worldThatRepeats } from '../../support/worlds/world-that-repeats.ts';

const HOUR = 3_600;
const contact = { state: 'written', at: FINISHED_AT, id: 'c-7' } as const;

const systems = {
  'a call log of CRM-B': {
    begin: (call: Partial<Call> = {}) =>
      aCrmBSync({ call: { transcript_key: undefined, recording: { state: 'none' }, ...call } }),
    kind: 'crm-b',
    item: 'call_log',
    written: 'synced',
    message: 'CRM-B refuses an item of a call: call_log, INVALID_DATA',
    overtaken: 'CRM-B has not taken an item of a call yet: call_log, another worker writes it',
    disconnected: 'revoked',
  },
  'a ticket of the help desk': {
    begin: (call: Partial<Call> = {}) =>
      aHelpDesk({ call: { ticket_contact: contact, ticket_organization: '60001', ...call }, settings: onlyTicket }),
    kind: 'help-desk',
    item: 'ticket',
    written: 'waiting_for_refresh',
    message: 'the help desk refuses an item of a call: ticket, INVALID_DATA',
    overtaken: 'the help desk has not taken an item of a call yet: ticket, another worker writes it',
    disconnected: 'the help desk is not connected',
  },
} as const;
type System = (typeof systems)[keyof typeof systems];
type RemoteWorld = ReturnType<System['begin']>;

describe.each(Object.entries<System>(systems))('%s', (_system, system) => {
  const { begin, kind, item, written } = system;
  const attributes = turnAttributes[kind];
  const mark = (world: RemoteWorld): RemoteWrite | undefined => world.call()[item];
  const isDone = (world: RemoteWorld) => world.call()[attributes.work] === 'done';
  const error = (world: RemoteWorld) => world.call()[attributes.error];
  const counts = (world: RemoteWorld) => ({ made: world.made(), requested: world.requested.length });
  /** @returns a world whose first write has this fate */
  const withFate = (fate: Fate): RemoteWorld => {
    const world = begin();
    Object.assign(world.fates, { [item]: fate });
    return world;
  };

  it.each<[string, Partial<Call>]>([
    ['needs no work of this system', { [attributes.work]: undefined }],
    ['is done with this work', { [attributes.work]: 'done' }],
    ['is not finished', { finished_at: undefined }],
    ['has its next try later', { [attributes.after]: secondsAfter(FINISHED_AT, 1) }],
  ])('is not written for a call that %s', async (_name, over) => {
    const world = begin(over);
    expect(await world.run()).toBe('not_due');
    expect(world.requested).toEqual([]);
  });

  it('is completed if it is refused, with the reason on the call and in the log', async () => {
    const world = withFate('refused');
    await world.run();
    expect(isDone(world)).toBe(true);
    expect(mark(world)).toMatchObject({ state: 'failed', error: 'INVALID_DATA' });
    expect(world.warnings()).toEqual([system.message]);
  });

  it.each<[Fate, string]>([
    ['429', 'too many requests'],
    ['reconnect', 'revoked'],
  ])('is retried without a lookup if it was certainly not written: %s', async (fate, reason) => {
    const world = withFate(fate);
    expect(await world.run()).toBe('waiting');
    expect([mark(world), error(world)]).toEqual([undefined, reason]);
    expect(world.warnings()).toEqual([expect.stringContaining(`has not taken an item of a call yet: `)]);
    expect(await world.run()).toBe('not_due');
    await world.untilDone();
    expect(counts(world)).toEqual({ made: 1, requested: 2 });
  });

  it('is written once and found if its answer was lost', async () => {
    const world = withFate('done, answer lost');
    expect(await world.run()).toBe('waiting');
    world.pass(16);
    expect(await world.run()).toBe(written);
    expect(counts(world)).toEqual({ made: 1, requested: 1 });
    expect(mark(world)).toMatchObject({ state: 'written', id: expect.stringMatching(/-0$/) });
  });

  it('is written again only after two complete lookups a minute apart did not find it', async () => {
    const world = withFate('lost');
    expect(await world.run()).toBe('waiting');
    world.pass(16);
    expect(await world.run()).toBe('waiting');
    expect(error(world)).toBe('a request without an answer is looked up');
    world.pass(59.5);
    expect(await world.run()).toBe('not_due');
    world.set({ crm_b_sync_after: undefined, ticket_after: undefined });
    expect(await world.run()).toBe('waiting');
    expect(world.requested).toHaveLength(1);
    world.pass(0.5);
    expect(await world.run()).toBe(written);
    expect(counts(world)).toEqual({ made: 1, requested: 2 });
  });

  it('is not written again after lookups that failed', async () => {
    const world = withFate('lost');
    await world.run();
    world.lookups.push(...Array(3).fill({ kind: 'unavailable', reason: 'status 500' }));
    for (let count = 0; count < 3; count += 1) {
      world.pass(HOUR);
      await world.run();
    }
    expect(world.requested).toHaveLength(1);
    expect(mark(world)?.absent_since).toBeUndefined();
    await world.untilDone();
    expect(world.made()).toBe(1);
  });

  it('is not requested without an access token, and waits in steps of an hour for a new consent', async () => {
    const world = begin();
    world.token = async () => ({ kind: 'reconnect_needed', reason: 'the grant was revoked' });
    expect(await world.run()).toBe('waiting');
    expect([mark(world), world.requested]).toEqual([undefined, []]);
    expect(error(world)).toBe('the grant was revoked');
    expect(world.call()[attributes.after]).toBe(secondsAfter(FINISHED_AT, HOUR));
    // No queue can delay a message for an hour, so recover-calls sends the work.
    expect(world.workQueue.sent).toEqual([]);
  });

  it('is written after a new consent', async () => {
    const world = begin();
    const { grant } = world.reconnect({ grant: undefined });
    world.token = async () => ({ kind: 'reconnect_needed', reason: 'revoked' });
    await world.untilDone(20);
    expect([isDone(world), error(world)]).toEqual([false, system.disconnected]);
    world.reconnect({ grant });
    world.token = async () => aToken('token');
    await world.untilDone(3);
    expect([isDone(world), world.made()]).toEqual([true, 1]);
  });

  const failingToken = (kind: 'reconnect_needed' | 'unavailable', reason: string) => (world: RemoteWorld) => {
    world.token = async (): Promise<TokenResult> => ({ kind, reason });
  };
  const failingLookups = (world: RemoteWorld) => {
    Object.assign(world.fates, { [item]: 'lost' });
    world.lookups.push(...Array(1000).fill({ kind: 'unavailable', reason: 'status 500' }));
  };
  it.each<[string, (world: RemoteWorld) => void, object]>([
    ['a revoked grant', failingToken('reconnect_needed', 'revoked'), { state: 'failed', error: 'revoked' }],
    ['a missing token', failingToken('unavailable', 'throttled'), { state: 'failed', error: 'throttled' }],
    ['a lookup that never succeeds', failingLookups, { state: 'unconfirmed', error: 'status 500' }],
  ])('is given up three days after the call because of %s, and the call is done', async (_name, spoil, expected) => {
    const world = begin();
    spoil(world);
    await world.untilDone(71);
    expect(isDone(world)).toBe(false);
    await world.untilDone(3);
    expect([isDone(world), world.made()]).toEqual([true, 0]);
    expect(mark(world)).toMatchObject(expected);
  });

  it('is requested by only one of three workers with the same message', async () => {
    const world = begin();
    const outcomes = await Promise.all([world.run(), world.run(), world.run()]);
    expect(outcomes.sort()).toEqual(['not_due', 'not_due', written]);
    expect(world.requested).toHaveLength(1);
  });

  it('is requested once, even if another worker takes over the turn of a worker that is still alive', async () => {
    const world = begin();
    Object.assign(world.during, {
      [item]: async () => {
        world.pass(100);
        expect(await world.run()).toBe(written);
      },
    });
    await world.run();
    expect(world.warnings()).toContain(system.overtaken);
    await world.untilDone();
    expect(counts(world)).toEqual({ made: 1, requested: 1 });
  });

  it('waits for one message if a worker ends its turn after another worker has taken and ended the next', async () => {
    const world = withFate('lost');
    let planned: string | undefined;
    Object.assign(world.during, {
      [item]: async () => {
        world.pass(100);
        expect(await world.run()).toBe('waiting');
        planned = world.call()[attributes.after];
        world.pass(5);
      },
    });
    expect(await world.run()).toBe('waiting');
    expect([world.call()[attributes.after], world.workQueue.sent.length]).toEqual([planned, 1]);
    await world.untilDone();
    expect(counts(world)).toEqual({ made: 1, requested: 2 });
  });
});

describe('a remote system', () => {
  const crmB = {
    begin: (fates = {}) => aCrmBSync({ fates }),
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
    begin: (fates = {}) => aHelpDesk({ fates }),
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
  const [lost, done] = ['lost', 'done, answer lost'] as const;
  const runs: [string, Record<string, Fate>, typeof crmB | typeof helpDesk][] = [
    ['CRM-B', {}, crmB],
    ['CRM-B', { call_log: '429' }, crmB],
    ['CRM-B', { call_log: done, note: done }, crmB],
    ['CRM-B', { call_log: lost, note: lost }, crmB],
    ['the help desk', {}, helpDesk],
    ['the help desk', { contact: lost, ticket: lost }, helpDesk],
    ['the help desk', { contact: done, ticket: done }, helpDesk],
    ['the help desk', { ticket: '429', tags: lost }, helpDesk],
    ['the help desk', { contact: 'refused', ticket: done }, helpDesk],
    ['the help desk', { contact: 'refused', ticket: lost }, helpDesk],
    ['the help desk', { attachment: done, comment: done }, helpDesk],
    ['the help desk', { attachment: lost, comment: lost }, helpDesk],
  ];

  it.each(runs)(
    'gets every item once, although a worker dies and messages are delivered twice: %s, with requests %j',
    async (_system, fates, { begin, made, once }) => {
      for await (const [world, cut] of worldThatDies(
        () => begin(fates),
        (each) => each.run(),
      )) {
        await world.run();
        world.pass(30);
        await world.untilDone();
        expect({ cut, ...made(world) }).toEqual({ cut, ...once });
      }
    },
  );

  it.each(runs)('gets every item once, whichever write the SDK repeats: %s, with requests %j', async (...of) => {
    const [_system, fates, { begin, made, once }] = of;
    for await (const [world, repeated] of worldThatRepeats(
      () => begin(fates),
      (each) => each.run(),
    )) {
      await world.untilDone();
      expect({ repeated, ...made(world) }).toEqual({ repeated, ...once });
    }
  });

  it('gets every item once, even if two workers die', async () => {
    const cut: fc.Arbitrary<Cut> = fc.record({
      at: fc.integer({ min: 1, max: 40 }),
      moment: fc.constantFrom('before', 'after'),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...runs), cut, cut, async ([, fates, { begin, made, once }], ...cuts) => {
        const world = begin(fates);
        for (const each of cuts) {
          await world.dying(each, () => world.run());
          world.pass(400);
        }
        await world.untilDone();
        expect(made(world)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });

  it('gets no request for a call without a ticket, whose work is completed', async () => {
    const begin = () => aHelpDesk({ call: { analysis: { state: 'none' } } });
    for await (const [world, cut] of worldThatDies(begin, (each) => each.run())) {
      await world.run();
      world.pass(30);
      await world.untilDone();
      expect([cut, world.call().ticket_work, world.call().ticket?.state]).toEqual([cut, 'done', 'none']);
      expect(world.requested).toEqual([]);
    }
  });
});
