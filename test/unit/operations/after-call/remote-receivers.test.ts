import type { Call } from '../../../../shared/domain/calls/call.ts';
import { connectionIdFor } from '../../../../shared/domain/ids.ts';
import type { CallWork } from '../../../../shared/messages/call-work.ts';
import { createTicket } from '../../../../shared/operations/after-call/create-ticket.ts';
import { syncCrmB } from '../../../../shared/operations/after-call/sync-crm-b.ts';
import { aCalledLead } from '../../support/call.ts';
import { aCrmBSync } from '../../support/crm-b-sync.ts';
import { crowd } from '../../support/crowd.ts';
import { aHelpDesk, onlyTicket } from '../../support/help-desk.ts';
import { aFinishedCall } from '../../support/remote-writes.ts';
import { aConnection, aGrant, anOrg, ORG } from '../../support/worlds/items.ts';

/** The workers of sync-crm-b and of create-ticket (lib/functions.ts). */
const WORKERS = 12;
const CALLS = 60;
const MINUTE = 60;
const OTHER = 'org9999999999999999';
/** Failures that open the breaker, and an attempt that is under way meanwhile. */
const BEFORE_THE_BREAKER_OPENS = 4 + 1;
/** After half a minute, one, two and four minutes; the next one would be the first after ten minutes. */
const PROBES_IN_TEN_MINUTES = 4;

const NO_ANSWER = { kind: 'unavailable' as const, reason: 'no answer in time' };
const LOST_ANSWER = { kind: 'unknown' as const, reason: 'no answer in time' };
type Unavailable = { kind: 'unavailable'; reason: string; retryAfterSeconds?: number };

/** Answers a request about a call of an organization. `timedOut`: the outcome if it hangs. */
type Answer = <Outcome, TimedOut>(
  orgId: string,
  timedOut: TimedOut,
  answer: () => Promise<Outcome>,
) => Promise<Outcome | TimedOut | Unavailable>;

/** CRM-B, which writes the call logs of two organizations. */
function aCrm(answer: Answer) {
  const world = aCrmBSync({ call: { crm_b_sync: 'done' } });
  world.put('connections', aConnection({ connection_id: 'conn_2', org_id: OTHER, grant: aGrant() }));
  const orgOf = (lead: string) => lead.split(' ')[0] ?? '';
  const callLogs = {
    create: (_access: unknown, lead: string) =>
      answer(orgOf(lead), LOST_ANSWER, async () => ({ kind: 'written' as const, id: lead })),
    find: (_access: unknown, lead: string) => answer(orgOf(lead), NO_ANSWER, async () => ({ kind: 'absent' as const })),
  };
  const deps = { ...world.deps, callLogs };
  const connectionOf = (orgId: string) => (orgId === ORG ? 'conn_1' : 'conn_2');
  return {
    world,
    connectionId: connectionOf(ORG),
    callOf: (org_id: string, index: number): Partial<Call> => {
      const lead = aCalledLead({ connection_id: connectionOf(org_id), lead_id: `${org_id} ${index}` });
      return { lead, crm_b_sync: 'pending' };
    },
    waiting: () => world.workQueue.sent.map(({ due }) => due),
    due: world.workQueue.due,
    run: (callId: string) => syncCrmB(deps, callId),
    writtenAt: ({ call_log: mark }: Call) => (mark?.state === 'written' ? mark.at : undefined),
    isDone: ({ crm_b_sync }: Call) => crm_b_sync === 'done',
  };
}

/** A help desk with the portals of two organizations, which takes tickets. */
function aDesk(answer: Answer) {
  const world = aHelpDesk({ settings: onlyTicket, call: { ticket_work: 'done' } });
  const settings = { ...onlyTicket, orgId: '60002' };
  const connection_id = connectionIdFor(OTHER, 'help-desk');
  world.put('connections', aConnection({ connection_id, org_id: OTHER, type: 'help-desk', grant: aGrant(), settings }));
  const orgOf = ({ orgId }: { orgId: string | undefined }) => (orgId === settings.orgId ? OTHER : ORG);
  const { contacts, tickets } = world.deps;
  const deps: typeof world.deps = {
    ...world.deps,
    contacts: {
      find: (access, ...rest) => answer(orgOf(access), NO_ANSWER, () => contacts.find(access, ...rest)),
      create: (access, ...rest) => answer(orgOf(access), LOST_ANSWER, () => contacts.create(access, ...rest)),
    },
    tickets: {
      create: (access, ...rest) => answer(orgOf(access), LOST_ANSWER, () => tickets.create(access, ...rest)),
      find: (access, ...rest) => answer(orgOf(access), NO_ANSWER, () => tickets.find(access, ...rest)),
      get: (access, ...rest) => answer(orgOf(access), NO_ANSWER, () => tickets.get(access, ...rest)),
    },
  };
  const refreshes = () => [...world.schedules.planned.values()].filter(({ isDone }) => !isDone);
  return {
    world,
    connectionId: connectionIdFor(ORG, 'help-desk'),
    // Each call has its own contact.
    callOf: (_orgId: string, index: number): Partial<Call> => ({
      ...world.call(),
      ticket_work: 'pending',
      phone_number: `+9198123${45_000 + index}`,
    }),
    waiting: () => [...world.workQueue.sent.map(({ due }) => due), ...refreshes().map(({ at }) => at)],
    due: () => [...world.workQueue.due(), ...world.schedules.due()],
    run: (callId: string) => createTicket(deps, callId),
    writtenAt: ({ ticket: mark }: Call) => (mark?.state === 'written' ? mark.at : undefined),
    isDone: ({ ticket_work }: Call) => ticket_work === 'done',
  };
}

/** A receiver whose requests about the calls of one organization hang. */
function aReceiver(begin: typeof aCrm | typeof aDesk) {
  const seen = { most: 0, inFlight: 0, requests: 0 };
  let isHanging = true;
  let demanded: number | undefined;
  const { world, connectionId, callOf, waiting, due, run, writtenAt, isDone } = begin(
    async (orgId, timedOut, answer) => {
      if (!isHanging || orgId !== ORG) return answer();
      seen.requests += 1;
      if (demanded) return { kind: 'unavailable', reason: 'too many requests', retryAfterSeconds: demanded };
      seen.inFlight += 1;
      seen.most = Math.max(seen.most, seen.inFlight);
      await workers.hang(undefined);
      seen.inFlight -= 1;
      return timedOut;
    },
  );
  const workers = crowd<CallWork>({
    get ms() {
      return world.ms;
    },
    ...{ pass: world.pass, waiting, due, deliver: ({ call_id }) => run(call_id) },
  });
  for (const org_id of [ORG, OTHER]) world.put('organizations', anOrg({ org_id }));
  const ids: string[] = [];
  const calls = () => ids.map((callId) => world.callOf(callId));
  return {
    seen,
    calls,
    work: (seconds: number) => workers.work(WORKERS, seconds),
    /** Finishes calls of an organization. @returns their ids */
    finish: (org_id: string, count: number): string[] =>
      Array.from({ length: count }, () => {
        const over = { transcript_key: undefined, recording: { state: 'none' as const }, finished_at: world.now };
        const call_id = `call_${ids.length}`;
        world.putCall(aFinishedCall({ ...callOf(org_id, ids.length), ...over, call_id, org_id }));
        void world.workQueue.send({ call_id });
        ids.push(call_id);
        return call_id;
      }),
    /** It has answered an earlier request. */
    hasAnswered: () => {
      const [receiver, answered_at] = [`connection ${connectionId}`, world.now];
      world.put('receivers', { receiver, answered_at, version: 1, leases: [], failures: 0, expires_at: 0 });
    },
    /** It answers at once, and demands a wait. */
    demands: (seconds: number) => {
      demanded = seconds;
    },
    heal: () => {
      isHanging = false;
    },
    written: () => calls().filter((call) => writtenAt(call) !== undefined),
    /** The seconds from the end of each of these calls to the request that wrote it. */
    delaysOf: (callIds: readonly string[]) =>
      callIds.map((callId) => {
        const call = world.callOf(callId);
        return (Date.parse(writtenAt(call) ?? '') - Date.parse(call.finished_at ?? '')) / 1000;
      }),
    isDone: () => calls().every(isDone),
  };
}

type Receiver = ReturnType<typeof aReceiver>;

describe.each([
  ['CRM', aCrm],
  ['help desk', aDesk],
])('a %s that hangs', (_name, begin) => {
  it('delays the writes of another organization by less than 20 s, at first and later', async () => {
    const receiver = aReceiver(begin);
    receiver.finish(ORG, CALLS);
    for (let minutes = 0; minutes < 10; minutes += 1) {
      const others = receiver.finish(OTHER, 5);
      await receiver.work(MINUTE);
      expect(Math.max(...receiver.delaysOf(others))).toBeLessThan(20);
    }
    expect(receiver.written()).toHaveLength(10 * 5);
  });

  it.each([
    ['two requests at once if it is new', 2, () => {}],
    ['three requests at once if it has answered before', 3, (receiver: Receiver) => receiver.hasAnswered()],
  ])('gets at most %s, and in the first ten minutes no more than the breaker allows', async (_what, most, begun) => {
    const receiver = aReceiver(begin);
    begun(receiver);
    receiver.finish(ORG, CALLS);
    await receiver.work(10 * MINUTE);
    expect(receiver.seen.most).toBe(most);
    expect(receiver.seen.requests).toBeLessThanOrEqual(BEFORE_THE_BREAKER_OPENS + PROBES_IN_TEN_MINUTES);
  });

  it('gets all writes soon after it answers again', async () => {
    const receiver = aReceiver(begin);
    receiver.finish(ORG, CALLS);
    await receiver.work(10 * MINUTE);
    receiver.heal();
    await receiver.work(30 * MINUTE);
    expect(receiver.written()).toHaveLength(CALLS);
    expect(receiver.isDone()).toBe(true);
  });
});

describe.each([
  ['CRM', aCrm],
  ['help desk', aDesk],
])('a %s that demands a wait', (_name, begin) => {
  it('gets no request of any call before that time, and all writes soon afterwards', async () => {
    const receiver = aReceiver(begin);
    receiver.finish(ORG, 3);
    receiver.demands(600);
    await receiver.work(599);
    expect(receiver.seen.requests).toBe(1);
    receiver.heal();
    await receiver.work(10 * MINUTE);
    expect(receiver.written()).toHaveLength(3);
  });
});

describe('a connection whose breaker is open', () => {
  it('gets no request for a ticket, and the call says why', async () => {
    const world = aHelpDesk({ settings: onlyTicket });
    const receiver = `connection ${world.connection().connection_id}`;
    const open_until = '2026-03-02T06:12:00.000Z';
    world.put('receivers', { receiver, version: 7, leases: [], failures: 4, open_until, expires_at: 0 });
    expect(await world.run()).toBe('waiting');
    expect(world.requested).toEqual([]);
    expect(world.call().ticket_error).toBe('the receiver does not answer');
    await world.untilDone(1);
    expect(world.made()).toBe(1);
  });
});

describe('a step whose deadline passes while its receiver is busy with other calls', () => {
  it('is not given up, and is written when the receiver is free', async () => {
    const world = aHelpDesk({ settings: onlyTicket });
    await world.run();
    const receiver = `connection ${world.connection().connection_id}`;
    const leases = ['a', 'b', 'c'].map((id) => ({ id, until: '2026-03-09T00:00:00.000Z' }));
    const busy = { receiver, version: 7, leases, failures: 0, expires_at: 0 };
    world.put('receivers', busy);
    for (let hour = 0; hour < 2; hour += 1) {
      world.pass(3_600);
      await world.run();
    }
    expect([world.call().ticket_refresh, world.call().ticket_error]).toEqual([undefined, 'the receiver is busy']);
    world.put('receivers', { ...busy, leases: [] });
    await world.untilDone(1);
    expect(world.call().ticket_refresh).toMatchObject({ state: 'written' });
  });
});
