import type { Call } from '../../../shared/domain/calls/call.ts';
import type { TokenResult } from '../../../shared/domain/connections/access/token-result.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import type { CallWork } from '../../../shared/messages/call-work.ts';
import { aToken } from '../../support/connections/access-token.ts';
import { aCall } from './call.ts';
import type { Contents } from './worlds/database.ts';
import { anOrg } from './worlds/items.ts';
import { aWorld } from './worlds/world.ts';

export const FINISHED_AT = '2026-03-02T06:10:00.000Z';

export const aFinishedCall = (over: Partial<Call> = {}): Call =>
  aCall({
    status: 'completed',
    unfinished: 'ended',
    started_at: '2026-03-02T06:01:00.000Z',
    ended_at: '2026-03-02T06:02:30.000Z',
    duration: 90,
    transcript_key: 'transcripts/org/call.txt',
    recording: { state: 'stored', key: 'recordings/org/call.wav' },
    analysis: { state: 'none' },
    finished_at: FINISHED_AT,
    ...over,
  });

/** The effect of a write request at the remote system. */
export type Fate = 'lost' | 'done, answer lost' | 'refused' | '429' | 'reconnect';
/** The fates of the next write requests of each kind. Later requests are successful. */
export type Fates<Kind extends string> = Partial<Record<Kind, Fate | Fate[]>>;
/** A lookup without a result. */
export type FailedLookup = { kind: 'unavailable'; reason: string } | { kind: 'refused'; code: string; status: number };
type Outcome =
  | { kind: 'written'; id: string }
  | { kind: 'refused'; code: string; status: number }
  | { kind: 'unavailable' | 'unknown' | 'reconnect_needed'; reason: string };

/** A finished call, and a remote system whose answers to writes and lookups the test controls. */
export function finishedCall<Kind extends string>(call: Call, contents: Contents, fates: Fates<Kind> = {}) {
  const base = aWorld({ organizations: [anOrg()], ...contents });
  base.now = FINISHED_AT;
  base.putCall(call);
  const { call_id: id } = call;

  const world = Object.assign(base, {
    id,
    workQueue: base.queue<CallWork>(),
    call: () => base.callOf(id),
    set: (change: Partial<Call>) => base.putCall({ ...base.callOf(id), ...change }),
    fates: { ...fates },
    /** The results of the next lookups that fail. */
    lookups: [] as FailedLookup[],
    /** The write requests that arrived. */
    requested: [] as Kind[],
    /** Runs once while the next write request of a kind is answered. */
    during: {} as Partial<Record<Kind, () => unknown>>,
    token: async (): Promise<TokenResult> => aToken('token'),
    transcript: (): Promise<string | undefined> => Promise.resolve('Asha: Namaste.'),
    connection: () => base.all('connections')[0] as Connection,
    /** Changes the connection; undefined removes it. */
    reconnect: (change: Partial<Connection> | undefined) => {
      const connection = world.connection();
      if (change) base.put('connections', { ...connection, ...change });
      else base.remove('connections', connection);
      return connection;
    },
    warnings: () => base.logged.map(({ message, item, reason }) => `${message}: ${item}, ${reason}`),
    /** Handles a write request according to its fate. */
    write: async (kind: Kind, recordId: string, act: () => void): Promise<Outcome> => {
      world.requested.push(kind);
      const [fate, ...later] = [world.fates[kind] ?? []].flat() as Fate[];
      world.fates[kind] = later;
      if (fate === '429') return { kind: 'unavailable', reason: 'too many requests' };
      if (fate === 'refused') return { kind: 'refused', code: 'INVALID_DATA', status: 422 };
      if (fate === 'reconnect') return { kind: 'reconnect_needed', reason: 'revoked' };
      if (fate !== 'lost') act();
      const meanwhile = world.during[kind];
      delete world.during[kind];
      await meanwhile?.();
      return fate ? { kind: 'unknown', reason: 'reset' } : { kind: 'written', id: recordId };
    },
    find: (recordId: string | undefined) =>
      world.lookups.shift() ??
      (recordId === undefined ? { kind: 'absent' as const } : { kind: 'found' as const, id: recordId }),
  });
  return world;
}

type Work = { due: () => CallWork[]; run: (id: string) => Promise<unknown>; isDone: () => boolean };

/** Passes time: delivers every message, and runs recover-calls every five minutes. */
export async function untilDone(
  world: Pick<ReturnType<typeof finishedCall>, 'pass' | 'all'>,
  { due, run, isDone }: Work,
  hours = 80,
): Promise<void> {
  for (let minutes = 0; minutes < hours * 60 && !isDone(); minutes += 1) {
    for (const { call_id } of due()) await run(call_id);
    if (minutes % 5 === 0) for (const { call_id } of world.all('calls')) await run(String(call_id));
    world.pass(60);
  }
}
