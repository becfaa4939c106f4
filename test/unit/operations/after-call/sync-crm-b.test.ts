import { describe, expect, it } from '@jest/globals';
import type { Call, RemoteWrite } from '../../../../shared/domain/calls/call.ts';
import { AccessUnavailable, ReconnectNeeded } from '../../../../shared/domain/connections/access-errors.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { CrmBLookUp, CrmBWrite } from '../../../../shared/integrations/crm-b/records.ts';
import { type SyncCrmBDeps, syncCrmB } from '../../../../shared/operations/after-call/sync-crm-b.ts';
import type { CrmBItem } from '../../../../shared/stores/calls/call-marks.ts';
import { aCall } from '../../support/call.ts';

const finished_at = '2026-03-02T06:10:00.000Z';

const aSyncedCall = (over: Partial<Call> = {}): Call =>
  aCall({
    status: 'completed',
    unfinished: 'ended',
    started_at: '2026-03-02T06:01:00.000Z',
    ended_at: '2026-03-02T06:02:30.000Z',
    duration: 90,
    transcript_key: 'transcripts/org/call.txt',
    recording: { state: 'stored', key: 'recordings/org/call.wav' },
    finished_at,
    crm_b_sync: 'pending',
    lead: {
      crm: 'crm-b',
      connection_id: 'conn_1',
      lead_id: '554000000000001',
      event_id: 'evt_1',
      event: 'new_lead',
      test: false,
      fields: {},
    },
    ...over,
  });

/** The worker is gone at this point: nothing after it happens, and nobody catches it. */
class Death extends Error {}

/** What happens at the CRM to one request to write, in place of what should. */
type Fate = 'lost' | 'done, answer lost' | 'refused' | '429' | 'reconnect';

/** A world with a CRM that keeps what is written, a store that keeps its conditions, and a queue that knows the time. */
function aWorld(over: Partial<Call> = {}) {
  const crm: Record<CrmBItem, string[]> = { call_log: [], note: [] };
  const world = {
    call: aSyncedCall(over),
    crm,
    now: Date.parse(finished_at),
    fates: [] as Fate[],
    looks: [] as ('unavailable' | 'refused')[],
    contents: [] as object[],
    warned: [] as string[],
    requests: 0,
    /** Steps until the worker dies, before or after what the step does. */
    diesAt: Number.POSITIVE_INFINITY,
    steps: 0,
    queue: [] as { at: number }[],
    token: (): Promise<string> => Promise.resolve('token'),
    connection: { connection_id: 'conn_1' } as Connection | undefined,
    transcript: (): Promise<string | undefined> => Promise.resolve('Namaste.'),
    random: 0,
  };

  /** Every step of the worker towards outside: it may die before it, and after it. */
  const step = async <T>(act: () => T | Promise<T>): Promise<T> => {
    world.steps += 1;
    if (world.steps === world.diesAt) throw new Death();
    const result = await act();
    world.steps += 1;
    if (world.steps === world.diesAt) throw new Death();
    return result;
  };

  const create = (item: CrmBItem, content: object): CrmBWrite => {
    world.requests += 1;
    world.contents.push(content);
    const fate = world.fates.shift();
    if (fate === '429') return { kind: 'unavailable', reason: 'too many requests' };
    if (fate === 'refused') return { kind: 'refused', code: 'INVALID_DATA' };
    if (fate === 'reconnect') throw new ReconnectNeeded('revoked');
    if (fate === 'lost') return { kind: 'unknown', reason: 'reset' };
    crm[item].push(`${item}-${crm[item].length}`);
    if (fate === 'done, answer lost') return { kind: 'unknown', reason: 'reset' };
    return { kind: 'written', id: crm[item].at(-1) ?? '' };
  };
  const find = (item: CrmBItem): CrmBLookUp => {
    const fate = world.looks.shift();
    if (fate === 'unavailable') return { kind: 'unavailable', reason: 'status 500' };
    if (fate === 'refused') return { kind: 'refused', code: 'NO_PERMISSION' };
    const [id] = crm[item];
    return id ? { kind: 'found', id } : { kind: 'absent' };
  };

  const deps: SyncCrmBDeps = {
    calls: {
      get: () => step(() => structuredClone(world.call)),
      takeTurn: (_kind, _id, turn) =>
        step(() => {
          const { crm_b_sync, finished_at: finished, crm_b_sync_after: after } = world.call;
          if (crm_b_sync !== 'pending' || !finished || (after && after > turn.now)) return false;
          world.call = { ...world.call, crm_b_sync_after: turn.until, progress_at: turn.now };
          return true;
        }),
      endTurn: (_kind, _id, turn, { at, error }) =>
        step(() => {
          if (world.call.crm_b_sync_after !== turn.until) return false;
          world.call = { ...world.call, crm_b_sync_after: at, crm_b_sync_error: error };
          return true;
        }),
      changeCrmBItem: (_id, item, before, after) =>
        step(() => {
          if (JSON.stringify(sorted(world.call[item])) !== JSON.stringify(sorted(before))) return false;
          world.call = { ...world.call, [item]: after };
          return true;
        }),
      completeWork: () =>
        step(() => {
          if (world.call.crm_b_sync !== 'pending') return false;
          world.call = { ...world.call, crm_b_sync: 'done' };
          return true;
        }),
    },
    connections: { get: () => step(() => world.connection) },
    files: { getTranscript: () => step(() => world.transcript()) },
    accessTo: () => ({ apiDomain: 'https://crm.example', token: () => world.token() }),
    callLogs: {
      create: (_access, _lead, entry) => step(() => create('call_log', entry)),
      find: () => step(() => find('call_log')),
    },
    notes: {
      create: (_access, _lead, note) => step(() => create('note', note)),
      find: () => step(() => find('note')),
    },
    linkKeys: async () => ['key'],
    publicUrl: 'https://calls.example',
    syncQueue: {
      send: (_work, delay = 0) => step(() => void world.queue.push({ at: world.now + delay * 1000 })),
      sendMany: async () => undefined,
    },
    now: () => new Date(world.now),
    stopwatch: () => world.now,
    random: () => world.random,
    warn: (message, { call_id, connection_id, item, reason }) => {
      expect({ call_id, connection_id }).toEqual({ call_id: world.call.call_id, connection_id: 'conn_1' });
      world.warned.push(`${message}: ${item}, ${reason}`);
    },
  };

  const run = async (): Promise<string> => {
    try {
      return await syncCrmB(deps, world.call.call_id);
    } catch (error) {
      if (error instanceof Death) return 'died';
      throw error;
    }
  };
  /** Time passes, and every message and every run of recover-calls does its work, until the call is done. */
  const untilDone = async (hours = 80) => {
    for (let minutes = 0; minutes < hours * 60 && world.call.crm_b_sync !== 'done'; minutes += 1) {
      const due = world.queue.filter(({ at }) => at <= world.now);
      world.queue = world.queue.filter(({ at }) => at > world.now);
      for (const _ of due) await run();
      if (minutes % 5 === 0) await run();
      world.now += 60_000;
    }
  };
  const pass = (seconds: number) => {
    world.now += seconds * 1000;
  };
  return { world, deps, run, untilDone, pass };
}

const sorted = (mark: RemoteWrite | undefined): object | undefined =>
  mark && Object.fromEntries(Object.entries(mark).sort());

describe('sync-crm-b', () => {
  it('writes a call log and a note with transcript and link, and is done', async () => {
    const { world, run } = aWorld();
    expect(await run()).toBe('synced');
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: ['note-0'] });
    expect(world.call).toMatchObject({
      crm_b_sync: 'done',
      call_log: { state: 'written', id: 'call_log-0' },
      note: { state: 'written', id: 'note-0' },
    });
    expect(world.contents).toMatchObject([
      { duration: '00:01', start_time: '2026-03-02T11:31:00+05:30' },
      { content: expect.stringMatching(/^Namaste\.\n\nRecording .*https:\/\/calls\.example\/api\/recordings\/call_/) },
    ]);
  });

  it.each<[string, Partial<Call>, string[]]>([
    [
      'no transcript and no recording: a call log alone',
      { transcript_key: undefined, recording: { state: 'none' } },
      ['call_log'],
    ],
    [
      'a failed recording and no transcript: a call log alone',
      { transcript_key: undefined, recording: { state: 'failed' } },
      ['call_log'],
    ],
    ['no duration: a note alone', { duration: 0, started_at: undefined }, ['note']],
    [
      'neither: nothing',
      { duration: 0, started_at: undefined, transcript_key: undefined, recording: { state: 'none' } },
      [],
    ],
  ])('writes of a call with %s', async (_, over, wanted) => {
    const { world, run } = aWorld(over);
    expect(await run()).toBe('synced');
    const written = Object.entries(world.crm).filter(([, records]) => records.length > 0);
    expect(written.map(([item]) => item)).toEqual(wanted);
    for (const item of ['call_log', 'note'] as const)
      expect(world.call[item]?.state).toBe(wanted.includes(item) ? 'written' : 'none');
  });

  it('asks CRM-B nothing where there is nothing to write', async () => {
    const nothing = {
      duration: 0,
      started_at: undefined,
      transcript_key: undefined,
      recording: { state: 'none' as const },
    };
    const { world, run } = aWorld(nothing);
    world.token = () => Promise.reject(new ReconnectNeeded('revoked'));
    expect(await run()).toBe('synced');
  });

  it.each<[string, Partial<Call>]>([
    ['is none of CRM-B’s', { crm_b_sync: undefined }],
    ['is done', { crm_b_sync: 'done' }],
    ['is not finished', { finished_at: undefined }],
    ['has its next try later', { crm_b_sync_after: secondsAfter(finished_at, 1) }],
  ])('leaves a call alone that %s', async (_, over) => {
    const { world, run } = aWorld(over);
    expect(await run()).toBe('not_due');
    expect(world.requests).toBe(0);
  });

  it('is done with what is refused, and says how', async () => {
    const { world, run } = aWorld();
    world.fates = ['refused', 'refused'];
    expect(await run()).toBe('synced');
    expect(world.call).toMatchObject({
      crm_b_sync: 'done',
      call_log: { state: 'failed', error: 'INVALID_DATA' },
      note: { state: 'failed', error: 'INVALID_DATA' },
    });
    expect(world.warned).toEqual(
      ['call_log', 'note'].map((item) => `CRM-B refuses an item of a call: ${item}, INVALID_DATA`),
    );
  });

  it('tells the log what waits, and why', async () => {
    const { world, run } = aWorld();
    world.fates = ['429', 'reconnect'];
    expect(await run()).toBe('waiting');
    expect(world.warned).toEqual([
      'CRM-B has not taken an item of a call yet: call_log, too many requests',
      'CRM-B has not taken an item of a call yet: note, revoked',
    ]);
  });

  it('tries again what was certainly not done, without a look', async () => {
    const { world, run, pass } = aWorld();
    world.fates = ['429', '429'];
    expect(await run()).toBe('waiting');
    expect(world.call).toMatchObject({ call_log: undefined, note: undefined, crm_b_sync_error: expect.any(String) });
    expect(await run()).toBe('not_due');
    pass(16);
    expect(await run()).toBe('synced');
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: ['note-0'] });
  });

  it('finds what was written although its answer was lost, and writes it no second time', async () => {
    const { world, run, pass } = aWorld();
    world.fates = ['done, answer lost', 'done, answer lost'];
    expect(await run()).toBe('waiting');
    pass(16);
    expect(await run()).toBe('synced');
    expect(world.requests).toBe(2);
    expect(world.call).toMatchObject({
      call_log: { state: 'written', id: 'call_log-0' },
      note: { state: 'written', id: 'note-0' },
    });
  });

  it('writes again only after two complete looks a minute apart found nothing', async () => {
    const { world, run, pass } = aWorld({ transcript_key: undefined, recording: { state: 'none' } });
    world.fates = ['lost'];
    expect(await run()).toBe('waiting');
    pass(16);
    expect(await run()).toBe('waiting');
    expect(world.requests).toBe(1);
    pass(59.5);
    expect(await run()).toBe('not_due');
    world.call.crm_b_sync_after = undefined;
    expect(await run()).toBe('waiting');
    expect(world.requests).toBe(1);
    pass(0.5);
    expect(await run()).toBe('synced');
    expect(world.crm.call_log).toEqual(['call_log-0']);
  });

  it('counts no look that did not come to its end', async () => {
    const { world, run, pass, untilDone } = aWorld({ transcript_key: undefined, recording: { state: 'none' } });
    world.fates = ['lost'];
    world.looks = ['unavailable', 'unavailable', 'unavailable'];
    for (let count = 0; count < 3; count += 1) {
      await run();
      pass(3600);
    }
    expect(world.requests).toBe(1);
    expect(world.call.call_log?.absent_since).toBeUndefined();
    await untilDone();
    expect(world.crm.call_log).toEqual(['call_log-0']);
  });

  it('ends as unconfirmed where the look-up is refused', async () => {
    const { world, run, pass } = aWorld({ transcript_key: undefined, recording: { state: 'none' } });
    world.fates = ['lost'];
    world.looks = ['refused'];
    await run();
    pass(16);
    expect(await run()).toBe('synced');
    expect(world.call.call_log).toMatchObject({ state: 'unconfirmed', error: 'NO_PERMISSION' });
  });

  it('asks for nothing without an access token, and waits for a person an hour at a time', async () => {
    const { world, run } = aWorld();
    world.token = () => Promise.reject(new ReconnectNeeded('the grant was revoked'));
    expect(await run()).toBe('waiting');
    expect([world.call.call_log, world.call.note]).toEqual([undefined, undefined]);
    expect(world.call.crm_b_sync_error).toBe('the grant was revoked');
    expect(world.call.crm_b_sync_after).toBe(secondsAfter(finished_at, 3600));
    // recover-calls does that: a queue holds no message for so long.
    expect(world.queue).toEqual([]);
  });

  it('takes a lost grant in the middle of a request for nothing done', async () => {
    const { world, run, untilDone } = aWorld();
    world.fates = ['reconnect', 'reconnect'];
    expect(await run()).toBe('waiting');
    expect(world.call).toMatchObject({ call_log: undefined, note: undefined });
    await untilDone();
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: ['note-0'] });
  });

  it('writes what waited once somebody connects again', async () => {
    const { world, untilDone } = aWorld();
    const gone = world.connection;
    world.connection = undefined;
    await untilDone(20);
    expect(world.call.crm_b_sync).toBe('pending');
    world.connection = gone;
    await untilDone(3);
    expect(world.call.crm_b_sync).toBe('done');
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: ['note-0'] });
  });

  it.each<[string, (world: ReturnType<typeof aWorld>['world']) => void, object]>([
    [
      'a grant that nobody renews',
      (world) => {
        world.token = () => Promise.reject(new ReconnectNeeded('revoked'));
      },
      { state: 'failed', error: 'revoked' },
    ],
    [
      'a token that never comes',
      (world) => {
        world.token = () => Promise.reject(new AccessUnavailable('throttled'));
      },
      { state: 'failed', error: 'throttled' },
    ],
    [
      'a look-up that never answers',
      (world) => {
        world.fates = ['lost', 'lost'];
        world.looks = Array(1000).fill('unavailable');
      },
      { state: 'unconfirmed', error: 'status 500' },
    ],
  ])('gives up %s after three days, and the call is done all the same', async (_, spoil, mark) => {
    const { world, untilDone } = aWorld();
    spoil(world);
    await untilDone(71);
    expect(world.call.crm_b_sync).toBe('pending');
    await untilDone(3);
    expect(world.call).toMatchObject({ crm_b_sync: 'done', call_log: mark, note: mark });
  });

  it('does not let a transcript that cannot be read hold up the call log, nor the call for ever', async () => {
    const { world, untilDone } = aWorld();
    world.transcript = () => Promise.reject(new Error('NoSuchKey'));
    await untilDone();
    expect(world.crm.call_log).toEqual(['call_log-0']);
    expect(world.call).toMatchObject({ crm_b_sync: 'done', note: { state: 'failed' } });
  });

  it('tries a redriven call once, however late', async () => {
    const { world, run, pass } = aWorld();
    pass(1_000_000);
    expect(await run()).toBe('synced');
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: ['note-0'] });
  });

  it('begins nothing that its time does not allow', async () => {
    const { world, deps, run } = aWorld();
    const create = deps.callLogs.create;
    deps.callLogs.create = (...args) => {
      world.now += 25_000;
      return create(...args);
    };
    expect(await run()).toBe('waiting');
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: [] });
    world.now += 16_000;
    expect(await run()).toBe('synced');
    expect(world.crm.note).toEqual(['note-0']);
  });

  it('leaves the asking to one of two workers that have the same message', async () => {
    const { world, deps } = aWorld();
    const ends = await Promise.all([syncCrmB(deps, 'c'), syncCrmB(deps, 'c'), syncCrmB(deps, 'c')]);
    expect(ends.sort()).toEqual(['not_due', 'not_due', 'synced']);
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: ['note-0'] });
  });

  it('asks no second time although a turn was taken from a worker that is still alive', async () => {
    const { world, deps } = aWorld();
    const create = deps.callLogs.create;
    deps.callLogs.create = async (...args) => {
      deps.callLogs.create = create;
      const outcome = await create(...args);
      world.now += 100_000;
      expect(await syncCrmB(deps, 'c')).toBe('synced');
      return outcome;
    };
    await syncCrmB(deps, 'c');
    expect(world.crm).toEqual({ call_log: ['call_log-0'], note: ['note-0'] });
    expect(world.call.crm_b_sync).toBe('done');
  });
});

describe('wherever the worker dies', () => {
  const fates: Fate[][] = [
    [],
    ['lost'],
    ['done, answer lost'],
    ['429'],
    ['done, answer lost', 'done, answer lost'],
    ['lost', 'lost'],
  ];
  /** Some more than any run has. */
  const MOST_STEPS = 40;

  it.each(fates.map((each) => [each.join(' and ') || 'every answer comes', each] as const))(
    'with a duplicate delivery, one call log and one note are written: %s',
    async (_, given) => {
      for (let diesAt = 1; diesAt <= MOST_STEPS; diesAt += 1) {
        const { world, run, untilDone, pass } = aWorld();
        world.fates = [...given];
        world.diesAt = diesAt;
        await run();
        await run();
        pass(30);
        await untilDone();
        expect({ diesAt, ...world.crm, sync: world.call.crm_b_sync }).toEqual({
          diesAt,
          call_log: ['call_log-0'],
          note: ['note-0'],
          sync: 'done',
        });
        expect(world.call).toMatchObject({
          call_log: { state: 'written', id: 'call_log-0' },
          note: { state: 'written', id: 'note-0' },
        });
      }
    },
  );

  it('twice, too', async () => {
    for (let first = 1; first <= 24; first += 1)
      for (let second = 1; second <= 24; second += 1) {
        const { world, run, untilDone, pass } = aWorld();
        world.diesAt = first;
        await run();
        pass(400);
        world.diesAt = world.steps + second;
        await run();
        pass(400);
        await untilDone();
        expect({ first, second, ...world.crm, sync: world.call.crm_b_sync }).toEqual({
          first,
          second,
          call_log: ['call_log-0'],
          note: ['note-0'],
          sync: 'done',
        });
      }
  });
});
