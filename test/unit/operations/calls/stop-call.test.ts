import type { Call } from '../../../../shared/domain/calls/call.ts';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { cancelCall } from '../../../../shared/operations/calls/cancel-call.ts';
import { hangUpCall } from '../../../../shared/operations/calls/hang-up-call.ts';
import { stopCall } from '../../../../shared/operations/calls/stop-call.ts';
import { aCall, aClaimedCall, aReservedCall } from '../../support/call.ts';
import { aReport, CALL, callWorld, expectConsistent } from '../../support/worlds/call-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const { org_id } = aCall();
const live = (over: Partial<Call> = {}) => aClaimedCall({ platform_id: 'p1', ...over });

function aStoppedWorld(call: Call) {
  const world = callWorld([call]);
  let tokens = 0;
  const deps = { ...world.deps, newToken: () => String(++tokens) };
  return Object.assign(world, {
    deps,
    stop: async (of = org_id) => (await stopCall(deps, actor, { org_id: of, call_id: CALL })).kind,
    audited: () => world.auditEntries(),
  });
}

describe('a call that a person stops', () => {
  it.each([
    ['waits', aCall()],
    ['has its line', aReservedCall()],
  ])(
    'while it %s is canceled and gets its credit back, in one transaction with the audit entry',
    async (_state, call) => {
      const world = aStoppedWorld(call);
      expect(await world.stop()).toBe('canceled');
      expect(world.stored()).toMatchObject({ status: 'canceled', ended_reason: 'canceled_by_member', cost: 0 });
      expect(world.audited()).toMatchObject([
        {
          action: 'call.stopped',
          actor,
          org_id,
          thing: { id: CALL, name: '+91*******678' },
          before: { status: 'queued' },
        },
      ]);
      expectConsistent(world);
      expect([await world.stop(), world.audited()]).toMatchObject(['already_ended', { length: 1 }]);
    },
  );

  it('is canceled, although a worker has given it a line since it was read', async () => {
    const world = aStoppedWorld(aReservedCall());
    const { get } = world.deps.calls;
    const outdated = [aCall()];
    const calls = { ...world.deps.calls, get: async (id: string) => outdated.shift() ?? get(id) };
    expect(await cancelCall({ ...world.deps, calls }, actor, { call_id: CALL })).toBe('canceled');
    expect(world.stored()).toMatchObject({ status: 'canceled' });
    expectConsistent(world);
  });

  it('is refused as contended if workers change the call in every try', async () => {
    const world = aStoppedWorld(aReservedCall());
    const calls = { ...world.deps.calls, get: async () => aCall() };
    const canceling = cancelCall({ ...world.deps, calls }, actor, { call_id: CALL });
    await expect(canceling).rejects.toThrow(TransactionContention);
    expect([world.stored().status, world.audited()]).toEqual(['queued', []]);
  });

  it('is canceled with its audit entry or not at all, wherever the function dies', async () => {
    for await (const [world, cut] of worldThatDies(
      () => aStoppedWorld(aReservedCall()),
      ({ stop }) => stop(),
      2,
    )) {
      expect([cut, world.audited().length]).toEqual([cut, world.stored().status === 'canceled' ? 1 : 0]);
      expectConsistent(world);
      await world.stop();
      expect([cut, world.stored().status, world.audited().length]).toEqual([cut, 'canceled', 1]);
    }
  });

  it('is ended by the platform if it is live, then by its report; a repeat adds no audit entry', async () => {
    const world = aStoppedWorld(live({ status: 'in_progress' }));
    expect([await world.stop(), await world.stop()]).toEqual(['asked', 'asked']);
    expect(world.hungUp).toEqual(['p1', 'p1']);
    expect(world.stored()).toMatchObject({ status: 'in_progress', stop_asked_at: world.now });
    expect(world.audited()).toMatchObject([
      { action: 'call.stopped', before: { status: 'in_progress' }, after: { by: 'hanging up' } },
    ]);
    await world.apply(aReport({ outcome: 'completed', reason: 'assistant-ended-call' }));
    expect([await world.stop(), world.stored().status]).toEqual(['already_ended', 'completed']);
    expectConsistent(world);
  });

  it('is hung up if its dial begins at the same moment', async () => {
    const world = aStoppedWorld(aReservedCall());
    world.beforeNextWrite(() => world.putCall(live()));
    expect([await world.stop(), world.hungUp, world.stored().status]).toEqual(['asked', ['p1'], 'dialing']);
  });

  it('is unchanged while its dial is under way, because the platform does not know it yet', async () => {
    const world = aStoppedWorld(aClaimedCall());
    expect([await world.stop(), world.hungUp, world.audited()]).toEqual(['not_live', [], []]);
  });

  it('is not dialed again if the platform had not dialed it', async () => {
    for (const outcome of ['not_dialed', 'canceled'] as const) {
      const world = aStoppedWorld(live());
      await world.stop();
      const { started_at: _, ...report } = aReport({ outcome, reason: 'call.start.error' });
      await world.apply(report);
      expect(world.stored()).toMatchObject({ status: 'canceled', cost: 0 });
      expectConsistent(world);
    }
  });

  it('is not dialed again if the platform reports at the same moment that it had not dialed it', async () => {
    const world = aStoppedWorld(live());
    world.beforeNextWrite(async () => {
      await world.stop();
    });
    const { started_at: _, ...report } = aReport({ outcome: 'not_dialed', reason: 'call.start.error' });
    await world.apply(report);
    expect(world.stored()).toMatchObject({ status: 'canceled', cost: 0 });
    expectConsistent(world);
  });

  it('is recorded before the request to the platform, and the answer says if the platform cannot be reached', async () => {
    const world = aStoppedWorld(live());
    world.deps.voice = { ...world.deps.voice, hangUp: async () => ({ kind: 'unreachable', reason: 'status 503' }) };
    const stopping = await stopCall(world.deps, actor, { org_id, call_id: CALL });
    expect(stopping).toEqual({ kind: 'unreachable', reason: 'status 503' });
    expect([world.stored().stop_asked_at, world.audited().length]).toEqual([world.now, 1]);
  });

  it('is reported as unreachable if the platform offers no way to end it yet', async () => {
    const world = Object.assign(aStoppedWorld(live()), { hangingUp: { kind: 'no_way' as const } });
    expect(await stopCall(world.deps, actor, { org_id, call_id: CALL })).toEqual({
      kind: 'unreachable',
      reason: 'no way to end this call',
    });
  });

  it('is reported as ended, or as not live, if its state changes before the write', async () => {
    for (const [change, result] of [
      [{ status: 'completed' }, 'already_ended'],
      [{ platform_id: undefined }, 'not_live'],
      [{ stop_asked_at: '2026-03-02T06:00:00.000Z' }, 'asked'],
    ] as const) {
      const world = aStoppedWorld(live());
      world.beforeNextWrite(() => world.change(change));
      expect([await world.stop(), world.audited()]).toEqual([result, []]);
    }
  });

  it.each([
    ['waits', aCall()],
    ['is live', live()],
  ])('while it %s is unknown to another organization', async (_state, call) => {
    const world = aStoppedWorld(call);
    expect([await world.stop('org2'), world.stored(), world.hungUp]).toEqual(['call_not_found', call, []]);
    const of = { org_id: 'org2', call_id: CALL };
    expect(await cancelCall(world.deps, actor, of)).toBe('call_not_found');
    expect(await hangUpCall(world.deps, actor, of)).toEqual({ kind: 'call_not_found' });
  });
});
