import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { CrmBLookUp } from '../../../../shared/integrations/crm-b/records.ts';
import type { CallWork } from '../../../../shared/messages/call-work.ts';
import { syncCrmB } from '../../../../shared/operations/after-call/sync-crm-b.ts';
import { aCalledLead } from '../../support/call.ts';
import { aCrmBSync } from '../../support/crm-b-sync.ts';
import { crowd } from '../../support/crowd.ts';
import { aHelpDesk, onlyTicket } from '../../support/help-desk.ts';
import { aFinishedCall } from '../../support/remote-writes.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';

const WORKERS = 12;
const MAX_AT_ONCE = 3;
const MINUTE = 60;

/** Finished calls of two connections; the CRM of the first one hangs. */
function besideAHangingCrm(hangingCalls: number, healthyCalls: number) {
  const world = aCrmBSync({ call: { crm_b_sync: 'done' } });
  world.put('connections', aConnection({ connection_id: 'conn_2', org_id: 'org2', grant: aGrant() }));
  const callsOf = (connection_id: string, count: number): Call[] =>
    Array.from({ length: count }, (_, index) =>
      aFinishedCall({
        call_id: `call_${connection_id}_${index}`,
        crm_b_sync: 'pending',
        lead: aCalledLead({ connection_id, lead_id: `${connection_id}-${index}` }),
        transcript_key: undefined,
        recording: { state: 'none' },
      }),
    );
  const calls = [...callsOf('conn_1', hangingCalls), ...callsOf('conn_2', healthyCalls)];
  for (const call of calls) {
    world.putCall(call);
    void world.workQueue.send({ call_id: call.call_id });
  }
  const start = world.ms;
  let isHanging = true;
  let demanded: number | undefined;
  const written: { lead: string; after: number }[] = [];
  let [inFlight, most, requests] = [0, 0, 0];
  const create = async (_access: unknown, lead: string) => {
    if (!isHanging || lead.startsWith('conn_2')) {
      written.push({ lead, after: (world.ms - start) / 1000 });
      return { kind: 'written' as const, id: lead };
    }
    requests += 1;
    if (demanded) return { kind: 'unavailable' as const, reason: 'too many requests', retryAfterSeconds: demanded };
    inFlight += 1;
    most = Math.max(most, inFlight);
    const outcome = await workers.hang({ kind: 'unknown' as const, reason: 'no answer in time' });
    inFlight -= 1;
    return outcome;
  };
  const find = async (_access: unknown, lead: string): Promise<CrmBLookUp> =>
    isHanging && lead.startsWith('conn_1')
      ? workers.hang({ kind: 'unavailable' as const, reason: 'no answer in time' })
      : { kind: 'absent' as const };
  const deps = { ...world.deps, callLogs: { create, find } };
  const workers: ReturnType<typeof crowd<CallWork>> = crowd<CallWork>({
    get ms() {
      return world.ms;
    },
    pass: world.pass,
    waiting: () => world.workQueue.sent.map(({ due }) => due),
    due: world.workQueue.due,
    deliver: ({ call_id }) => syncCrmB(deps, call_id),
  });
  return Object.assign(world, {
    work: (seconds: number) => workers.work(WORKERS, seconds),
    written,
    /** The CRM answers at once, and demands a wait. */
    demands: (seconds: number) => {
      demanded = seconds;
    },
    heal: () => {
      isHanging = false;
    },
    seen: () => ({ most, requests }),
    stateOf: (id: string) => world.callOf(id).crm_b_sync,
  });
}

describe('a CRM that hangs', () => {
  it('delays the call logs of another connection by less than 20 s', async () => {
    const world = besideAHangingCrm(40, 5);
    await world.work(2 * MINUTE);
    expect(world.written).toHaveLength(5);
    expect(Math.max(...world.written.map(({ after }) => after))).toBeLessThan(20);
  });

  it('gets at most three requests at once, and few while it hangs', async () => {
    const world = besideAHangingCrm(40, 0);
    await world.work(10 * MINUTE);
    expect(world.seen().most).toBeLessThanOrEqual(MAX_AT_ONCE);
    expect(world.seen().requests).toBeLessThanOrEqual(6 + 6);
  });

  it('gets all writes soon after it answers again', async () => {
    const world = besideAHangingCrm(40, 0);
    await world.work(10 * MINUTE);
    world.heal();
    await world.work(30 * MINUTE);
    expect(world.written).toHaveLength(40);
    expect(new Set(world.all('calls').map(({ crm_b_sync }) => crm_b_sync))).toEqual(new Set(['done']));
  });
});

describe('a CRM that demands a wait', () => {
  it('gets no request of any call before that time, and all writes soon afterwards', async () => {
    const world = besideAHangingCrm(3, 0);
    world.demands(600);
    await world.work(599);
    expect(world.seen().requests).toBe(1);
    world.heal();
    await world.work(10 * MINUTE);
    expect(world.written).toHaveLength(3);
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
    expect(world.call().ticket_refresh).toBeUndefined();
    world.put('receivers', { ...busy, leases: [] });
    await world.untilDone(1);
    expect(world.call().ticket_refresh).toMatchObject({ state: 'written' });
  });
});
