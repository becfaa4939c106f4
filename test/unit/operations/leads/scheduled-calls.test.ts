import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { claimFor } from '../../../../shared/domain/calls/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import { callIdForLead } from '../../../../shared/domain/ids.ts';
import { recoverCalls } from '../../../../shared/operations/calls/recover-calls.ts';
import { postponeLateCall } from '../../../../shared/operations/calls/steps/postpone-late-call.ts';
import { withdrawCall } from '../../../../shared/operations/calls/steps/withdraw-call.ts';
import {
  CONNECTION,
  CREDIT,
  crmBConnection,
  found,
  HOLD,
  ist,
  type LeadWorld,
  leadWorld,
  MONDAY,
  namedOnly,
  ORG,
  PHONE,
  TUESDAY,
  WEDNESDAY,
} from '../../support/lead-world.ts';

const NIGHT = ist(MONDAY, '22:30');
const OPENS = ist(TUESDAY, '09:00');
const NOON = ist(MONDAY, '12:00');
const timeOut = () => Object.assign(new Error('timed out'), { name: 'TimeoutError' });
const taken = (key: string) =>
  claimFor(key, { ownerId: 'evt_0', callId: callIdForLead(CONNECTION, 'evt_0'), now: new Date(NOON) });
const claimsOf = (day: string, eventId = 'evt_1') => [
  `lead#${CONNECTION}#1001#${day} = ${eventId}`,
  `phone#${ORG}#${PHONE}#${day} = ${eventId}`,
];

async function scheduled(over: Record<string, object[]> = {}) {
  const world = leadWorld(over);
  world.state.now = NIGHT;
  expect(await world.process(world.event())).toBe('call scheduled');
  return world;
}
async function queued(at = NOON, over: Record<string, object[]> = {}) {
  const world = leadWorld(over);
  world.state.now = at;
  expect(await world.process(world.event())).toBe('call queued');
  return world;
}

describe('a dial that comes too late', () => {
  it('puts the call off to the next window: credit back, claims of that day, an entry, in one transaction', async () => {
    const world = await queued();
    world.state.now = ist(MONDAY, '14:00');
    world.requests.length = 0;
    expect(await world.dial()).toBe('postponed');
    expect(world.rung).toEqual([]);
    expect(world.requests.filter((request) => /Write|Put|Update/.test(request))).toEqual(['TransactWrite']);
    expect(world.call()).toMatchObject({
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: OPENS,
      dial_after: OPENS,
      dial_by: ist(TUESDAY, '11:00'),
      held: 0,
      holds: 1,
      postponements: 1,
      claims_day: TUESDAY,
      progress_at: world.state.now,
    });
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.ledger().map(({ kind, held, entry }) => [kind, held, entry.split('#').at(-1)])).toEqual([
      ['hold', HOLD, '1'],
      ['release', -HOLD, '1'],
    ]);
    expect(world.entries()).toMatchObject([
      { event_id: 'evt_1', outcome: 'call queued' },
      { source: 'dial', outcome: 'call scheduled', scheduled_for: OPENS, call_id: world.call().call_id },
    ]);

    // And it is called then, with a hold of its own.
    world.state.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('call queued');
    expect(world.call()).toMatchObject({ held: HOLD, holds: 2 });
    expect(world.ledger().at(-1)).toMatchObject({ kind: 'hold', entry: expect.stringMatching(/#hold#2$/) });
    expect(await world.dial()).toBe('accepted');
    expect(world.rung).toHaveLength(1);
    // Its event became a queued call, and still says so.
    expect(world.call().lead).not.toHaveProperty('first_scheduled_for');
  });

  it("is one of the moment before the window's end: at the end nobody is rung any more", async () => {
    const world = await queued(ist(MONDAY, '20:59'));
    expect(world.call().dial_by).toBe(ist(MONDAY, '21:00'));
    world.state.now = ist(MONDAY, '20:59:59.999');
    expect(await world.dial()).toBe('accepted');
    const late = await queued(ist(MONDAY, '20:59'));
    late.state.now = ist(MONDAY, '21:00');
    expect(await late.dial()).toBe('postponed');
    expect(late.rung).toEqual([]);
    expect(late.call().scheduled_for).toBe(OPENS);
  });

  it('fails the call where there is no window to wait for', async () => {
    for (const type of ['crm-a', 'crm-b'] as const) {
      const connection = { ...crmBConnection, type, settings: {}, token_hash: 'hash' };
      const world = leadWorld({ connections: [connection] });
      const { lead } = found() as { lead: ReturnType<typeof namedOnly> };
      await world.process(world.event({ lead }));
      world.state.now = ist(MONDAY, '14:00');
      expect(await world.dial()).toBe('expired');
      expect(world.call()).toMatchObject({ status: 'failed', ended_reason: 'expired' });
      expect(world.claims()).toEqual([]);
      expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    }
  });

  it('stays within the day where a window opens once more', async () => {
    const over = {
      connections: [{ ...crmBConnection, settings: { call_window_start: '22:00', call_window_end: '06:00' } }],
    };
    const world = await queued(ist(TUESDAY, '04:00'), over);
    const claims = world.all('claims');
    world.state.now = ist(TUESDAY, '06:00');
    expect(await world.dial()).toBe('postponed');
    expect(world.call()).toMatchObject({ scheduled_for: ist(TUESDAY, '22:00'), claims_day: TUESDAY });
    expect(world.all('claims')).toEqual(claims);
  });

  it.each([
    ['lead', leadClaimKey(CONNECTION, '1001', TUESDAY), 'already_called'],
    ['phone', phoneClaimKey(ORG, PHONE, TUESDAY), 'phone_already_called'],
  ])('cancels the call where the %s of the next day is called already', async (_what, key, outcome) => {
    const world = await queued();
    world.put('claims', taken(key));
    world.state.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe(outcome);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect(world.claims()).toEqual([`${key} = evt_0`]);
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.outcomes()).toEqual(['evt_1 webhook: call queued', `evt_1.dial dial: ${outcome}`]);
  });

  it('is put off for a week and no longer', async () => {
    const world = await queued();
    for (let day = 2; day <= 8; day += 1) {
      world.state.now = ist(`2026-03-0${day}`, '21:00');
      expect(await world.dial()).toBe('postponed');
      world.state.now = ist(`2026-03-${String(day + 1).padStart(2, '0')}`, '09:00');
      expect(await world.release(world.releaseMessage())).toBe('call queued');
    }
    world.state.now = ist('2026-03-09', '21:00');
    expect(await world.dial()).toBe('expired');
    expect(world.call()).toMatchObject({ status: 'failed', postponements: 7, holds: 8 });
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.claims()).toEqual([]);
    const sum = world.ledger().reduce((so, { held }) => so + held, 0);
    expect([world.ledger().length, sum]).toEqual([16, 0]);
  });

  it('is put off once, however often it is delivered and whenever its worker dies', async () => {
    for (const when of ['before', 'after'] as const)
      for (let deadly = 1; ; deadly += 1) {
        const world = await queued();
        world.state.now = ist(MONDAY, '14:00');
        let requests = 0;
        world.hooks[when] = () => {
          requests += 1;
          if (requests === deadly) throw timeOut();
        };
        const hasDied = await Promise.all([world.dial(), world.dial()]).then(
          () => false,
          () => true,
        );
        world.hooks[when] = undefined;
        await world.dial();
        expect(world.call()).toMatchObject({ status: 'scheduled', postponements: 1, scheduled_for: OPENS });
        expect(world.entries()).toHaveLength(2);
        expect(world.ledger()).toHaveLength(2);
        expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
        if (!hasDied) break;
      }
  });

  it('leaves a call that is claimed for its dial, has rung or ended', async () => {
    for (const change of [
      { dial_claimed_at: NOON, status: 'dialing' },
      { platform_id: 'p1', status: 'dialing' },
      { status: 'ringing' },
      { status: 'canceled' },
    ] satisfies Partial<Call>[]) {
      const world = await queued();
      const asRead = world.call();
      world.put('calls', { ...world.all('calls')[0], ...change });
      world.state.now = ist(MONDAY, '14:00');
      const before = world.snapshot();
      expect(await postponeLateCall(world.deps, asRead)).toBe('not_waiting');
      expect(world.snapshot()).toEqual(before);
    }
  });

  it('after an attempt that was given back keeps what is known of that attempt, and its number of dials', async () => {
    const world = await queued();
    world.state.dial = { kind: 'not_dialed', reason: '429', isOperatorFault: false };
    expect(await world.dial()).toBe('not dialed: 429');
    world.state.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe('postponed');
    expect(world.call()).toMatchObject({ status: 'scheduled', attempts: 1, claims_day: TUESDAY });
    world.state.now = OPENS;
    await world.release(world.releaseMessage());
    world.state.dial = { kind: 'accepted', platformId: 'p2' };
    expect(await world.dial()).toBe('accepted');
    expect(world.call()).toMatchObject({ attempts: 2, platform_id: 'p2' });
  });
});

describe('a connection that is switched off', () => {
  const two = async () => {
    const world = await scheduled();
    const phones: Record<string, string> = { 1001: '98765 43210', 1002: '98123 45678', 1003: '98989 89898' };
    world.state.crm = (lead_id) => found({ lead_id, phones: [phones[lead_id] ?? ''] });
    await world.process(world.event({ event_id: 'evt_2', lead: namedOnly('1002') }));
    return world;
  };

  it.each([
    ['auto-call goes off', { auto_call: false }, 'Auto-call was switched off for this connection.'],
    ['it is disconnected', { grant: undefined }, 'The connection was disconnected.'],
  ])(
    'has its scheduled calls canceled, each with its entry, and their claims free: %s',
    async (_what, change, reason) => {
      const world = await two();
      await world.cancelScheduled(world.connectionChange(change));
      expect(world.calls().map(({ status, ended_reason }) => [status, ended_reason])).toEqual([
        ['canceled', 'auto_call_disabled'],
        ['canceled', 'auto_call_disabled'],
      ]);
      expect(world.logged).toEqual(
        world.calls().map(({ call_id }) => ({
          message: 'scheduled call processed',
          call_id,
          connection_id: CONNECTION,
          outcome: 'auto_call_disabled',
        })),
      );
      expect(world.claims()).toEqual([]);
      expect(world.ledger()).toEqual([]);
      expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
      expect(world.entries().slice(2)).toMatchObject([
        { event_id: 'evt_1.release.202603030330', source: 'release', outcome: 'auto_call_disabled', reason },
        { event_id: 'evt_2.release.202603030330', source: 'release', outcome: 'auto_call_disabled', reason },
      ]);
      const before = world.snapshot();
      // The same change once more, and the release that comes all the same.
      await world.cancelScheduled(
        world.connectionChange({ ...change, auto_call: true }),
        world.connectionChange(change),
      );
      expect(await world.release({ ...world.event(), original_event_id: 'evt_1', scheduled_for: OPENS })).toBe(
        'not_scheduled',
      );
      expect(world.snapshot().get('calls')).toEqual(before.get('calls'));
      expect(world.snapshot().get('activity')).toEqual(before.get('activity'));
    },
  );

  it('loses none to any other change, to being connected, and none that was switched off before', async () => {
    const world = await two();
    const before = world.snapshot();
    const off = { ...crmBConnection, auto_call: false };
    const gone = { ...crmBConnection, grant: undefined };
    await world.cancelScheduled(
      { sequenceNumber: '1', before: undefined, after: off } as never,
      { sequenceNumber: '2', before: off, after: { ...off, last_delivery_at: NIGHT } },
      { sequenceNumber: '2', before: gone, after: { ...gone, last_delivery_at: NIGHT } },
      { sequenceNumber: '3', before: off, after: crmBConnection },
      { sequenceNumber: '4', before: crmBConnection, after: { ...crmBConnection, settings: {} } },
      { sequenceNumber: '5', before: crmBConnection, after: { ...crmBConnection, trigger_owner_user_id: 'x' } },
      { sequenceNumber: '6', before: crmBConnection, after: { ...crmBConnection, token_hash: undefined } },
    );
    expect(world.snapshot()).toEqual(before);
  });

  it('is not another one: their calls stay, and so do calls that are queued', async () => {
    const world = await two();
    const other = { ...crmBConnection, connection_id: 'conn_2' };
    world.put('connections', other);
    await world.process(world.event({ connection_id: 'conn_2', event_id: 'evt_3', lead: namedOnly('1003') }));
    world.state.now = OPENS;
    expect(await world.release(world.releaseMessage('evt_2'))).toBe('call queued');
    await world.cancelScheduled(world.connectionChange({ auto_call: false }));
    expect(world.calls().map(({ status }) => status)).toEqual(['canceled', 'queued', 'scheduled']);
    expect(world.credit().held).toBe(HOLD);
  });

  it('cancels what is still scheduled where a worker died in the middle', async () => {
    for (let deadly = 1; ; deadly += 1) {
      const world = await two();
      const change = world.connectionChange({ auto_call: false });
      let requests = 0;
      world.hooks.before = () => {
        requests += 1;
        if (requests === deadly) throw timeOut();
      };
      const hasDied = await world.cancelScheduled(change).then(
        () => false,
        () => true,
      );
      world.hooks.before = undefined;
      await world.cancelScheduled(change);
      expect(world.calls().map(({ status }) => status)).toEqual(['canceled', 'canceled']);
      expect(world.entries()).toHaveLength(4);
      expect(world.claims()).toEqual([]);
      if (!hasDied) break;
    }
  });

  it('at the moment at which a call is scheduled has that call canceled when its window opens', async () => {
    const world = leadWorld();
    world.state.now = NIGHT;
    let change: ReturnType<LeadWorld['connectionChange']> | undefined;
    world.hooks.before = (operation) => {
      if (operation === 'TransactWrite' && !change) change = world.connectionChange({ auto_call: false });
    };
    // The stream's reader is faster than the index.
    expect(await world.process(world.event())).toBe('call scheduled');
    world.state.now = OPENS;
    expect(await world.release(world.releaseMessage())).toBe('auto_call_disabled');
    expect(world.call().status).toBe('canceled');
    expect(world.claims()).toEqual([]);
  });

  it('at the moment at which a call is released has it canceled or queued, never both', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        let isMixed = false;
        const world = leadWorld({}, (send) => {
          const slow = scheduler.scheduleFunction(send as (command: never) => Promise<unknown>);
          return (command: never) => (isMixed ? slow(command) : send(command));
        });
        world.state.now = NIGHT;
        await world.process(world.event());
        world.state.now = OPENS;
        const message = world.releaseMessage();
        isMixed = true;
        const words = Promise.all([
          world.release(message),
          world.cancelScheduled(world.connectionChange({ auto_call: false })),
          world.release(message),
        ]);
        await scheduler.waitFor(words);
        const { status, held } = world.call();
        expect(['canceled', 'queued']).toContain(status);
        expect(world.entries()).toHaveLength(2);
        expect(world.credit().held).toBe(held);
        expect(world.claims()).toHaveLength(status === 'queued' ? 2 : 0);
        expect(world.ledger()).toHaveLength(status === 'queued' ? 1 : 0);
      }),
      { numRuns: 100 },
    );
  });
});

describe('recover-calls', () => {
  const recovery = (world: LeadWorld) => {
    const unused = () => {
      throw new Error('nothing else is to be done');
    };
    const queue = { send: async () => undefined, sendMany: async () => undefined };
    return recoverCalls({
      ...world.deps,
      finishQueue: queue,
      syncQueue: queue,
      voice: { ...world.deps.voice, find: unused, read: unused },
      timeLeftMs: () => 1_000_000,
      warn: unused,
    } as never);
  };

  it('sends the release of a call whose time came three minutes ago, as its schedule would have, and no sooner', async () => {
    const world = await scheduled();
    const message = world.releaseMessage();
    world.state.now = ist(TUESDAY, '09:02:59.999');
    expect(await recovery(world)).toMatchObject({ looked_at: 1, failed: 0 });
    expect(world.queued).toEqual([]);
    world.state.now = ist(TUESDAY, '09:03');
    expect(await recovery(world)).toMatchObject({ release: 1, failed: 0 });
    expect(world.queued).toEqual([{ event: message, delay: 0 }]);
    expect(await world.release(message)).toBe('call queued');
  });

  it('releases nothing that has been released, canceled or put off since the index was read', async () => {
    const changes: ((world: LeadWorld) => Promise<unknown>)[] = [
      (world) => world.release(world.releaseMessage()),
      (world) => world.cancel(),
      (world) => {
        world.connectionChange({ settings: { call_window_start: '11:00', call_window_end: '21:00' } });
        return world.release(world.releaseMessage());
      },
    ];
    for (const change of changes) {
      const world = await scheduled();
      world.state.now = ist(TUESDAY, '09:05');
      const indexed = structuredClone(world.all('calls'));
      await change(world);
      world.queued.length = 0;
      async function* unfinished(work: string) {
        for (const call of indexed) if (call.unfinished === work) yield call as never;
      }
      Object.assign(world.deps, { calls: { ...world.deps.calls, unfinished } });
      expect(await recovery(world)).toMatchObject({ looked_at: 1, failed: 0 });
      expect(world.queued).toEqual([]);
    }
  });

  it("puts off what was not dialed by its window's end", async () => {
    const world = await queued(ist(MONDAY, '20:59'));
    world.state.now = ist(MONDAY, '21:00');
    expect(await recovery(world)).toMatchObject({ expire: 1, failed: 0 });
    expect(world.call()).toMatchObject({ status: 'scheduled', scheduled_for: OPENS });
  });
});

describe('an operator', () => {
  it('cancels a call that waits for its window: nothing was held, and its claims are free', async () => {
    const world = await scheduled();
    expect(await world.cancel()).toBe('canceled');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'canceled_by_operator', cost: 0 });
    expect(world.claims()).toEqual([]);
    expect(world.ledger()).toEqual([]);
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(await world.cancel()).toBe('already_ended');
    world.state.now = OPENS;
    expect(await world.release({ ...world.event(), original_event_id: 'evt_1', scheduled_for: OPENS })).toBe(
      'not_scheduled',
    );
    // The next event calls the lead.
    expect(await world.process(world.event({ event_id: 'evt_2', at: OPENS }))).toBe('call queued');
  });

  it('cancels one that was put off after it had held credit, too', async () => {
    const world = await queued();
    world.state.now = ist(MONDAY, '14:00');
    await world.dial();
    expect(await world.cancel()).toBe('canceled');
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.ledger()).toHaveLength(2);
    expect(world.claims()).toEqual([]);
  });

  it('who is overtaken by a release that puts the call off frees no claims by what was read before', async () => {
    const world = await scheduled();
    const asRead = world.call();
    world.state.now = ist(TUESDAY, '21:30');
    expect(await world.release(world.releaseMessage())).toBe('call scheduled');
    const before = world.snapshot();
    expect(await withdrawCall(world.deps, asRead, 'canceled', 'canceled_by_operator')).toBe(false);
    expect(world.snapshot()).toEqual(before);
    expect(await world.cancel()).toBe('canceled');
    expect(world.claims()).toEqual([]);
  });

  it('who is overtaken by the release cancels the queued call or is told to try again, and no credit is lost', async () => {
    const world = await scheduled();
    world.state.now = OPENS;
    const message = world.releaseMessage();
    const asRead = world.call();
    await world.release(message);
    expect(await withdrawCall(world.deps, asRead, 'canceled', 'canceled_by_operator')).toBe(false);
    expect(world.call().status).toBe('queued');
    expect(await world.cancel()).toBe('canceled');
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.ledger()).toHaveLength(2);
  });
});

describe('a call that is put off at its dial and released again on another day', () => {
  it('follows the day of its dial over midnight as any other does', async () => {
    const over = {
      connections: [{ ...crmBConnection, settings: { call_window_start: '22:00', call_window_end: '06:00' } }],
    };
    const world = await queued(ist(MONDAY, '23:30'), over);
    expect(world.claims()).toEqual(claimsOf(MONDAY));
    world.state.now = ist(TUESDAY, '00:30');
    expect(await world.dial()).toBe('accepted');
    expect(world.claims()).toEqual(claimsOf(TUESDAY));
    expect(world.call().claims_day).toBe(TUESDAY);
  });

  it('cannot be booked for a day on which another event has the lead', async () => {
    const world = await queued();
    // The next edit, on the next day, while the first call waits in vain.
    world.state.now = ist(MONDAY, '13:59');
    world.put('claims', taken(leadClaimKey(CONNECTION, '1001', WEDNESDAY)));
    world.state.now = ist(MONDAY, '14:00');
    expect(await world.dial()).toBe('postponed');
    world.state.now = ist(TUESDAY, '21:00');
    expect(await world.release(world.releaseMessage())).toBe('already_called');
    expect(world.call().status).toBe('canceled');
    expect(world.claims()).toEqual([`lead#${CONNECTION}#1001#${WEDNESDAY} = evt_0`]);
  });
});
