import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import type { QueueSender } from '../../../../../shared/stores/queue.ts';
import { aCalledLead, aReservedCall } from '../../../support/call.ts';
import { A, aCrowd, end, handOverAll, waitingCall } from '../../../support/hand-over.ts';
import { type CallWorld, expectConsistent } from '../../../support/worlds/call-world.ts';
import { anOrg } from '../../../support/worlds/items.ts';
import { START } from '../../../support/worlds/world.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

const lead = { lead: aCalledLead() };

/** Runs the hand-overs of the due messages. @returns the number of calls that got a slot */
async function handOverDue(world: CallWorld): Promise<number> {
  let reserved = 0;
  for (const message of world.deps.slotsQueue.due()) reserved += await world.handOver(message);
  return reserved;
}

/** Dials calls while slots are free. @returns the calls, in the order of their dials */
async function dialAll(world: CallWorld): Promise<string[]> {
  const dialed: string[] = [];
  for (let isFirst = true; isFirst || world.deps.dialQueue.sent.length > 0; isFirst = false) {
    for (const work of world.deps.dialQueue.due()) {
      dialed.push(work.call_id);
      expect(await world.doWork(work)).toBe('accepted');
    }
    await handOverAll(world);
  }
  return dialed;
}

describe('a free slot', () => {
  it('goes to REST calls before leads’ calls, and to the oldest first, even before a new call', async () => {
    const late = { dial_after: secondsAfter(START, -1) };
    const calls = [
      waitingCall('call_new'),
      waitingCall('call_lead', { ...lead, dial_after: secondsAfter(START, -60) }),
      waitingCall('call_old', late),
    ];
    const world = await aCrowd(calls, 3);
    expect(await handOverAll(world)).toEqual(['call_old', 'call_new', 'call_lead']);
    expect(world.live()).toEqual({ stage: 3, [`org#${A}`]: 3 });
    for (const { call_id } of calls)
      expect(world.stored(call_id)).toMatchObject({ unfinished: 'reserved', reserved_at: START, status: 'queued' });
  });

  it('goes to an older call before a newer one with a shorter wait', async () => {
    const hasty = waitingCall('call_hasty', { dial_after: secondsAfter(START, -1), dial_by: secondsAfter(START, 60) });
    const world = await aCrowd([hasty, waitingCall('call_old', { dial_after: secondsAfter(START, -2) })], 1);
    expect(await handOverAll(world)).toEqual(['call_old']);
  });

  it.each([120, 4_000])('goes next to B and C, although A has all slots and queued %i calls before', async (count) => {
    const many = Array.from({ length: count }, (_, index) => waitingCall(`call_a${String(index).padStart(5, '0')}`));
    const b = ['call_b1', 'call_b2', 'call_b3'].map((id) => waitingCall(id, { org_id: 'org_b' }));
    const c = ['call_c1', 'call_c2'].map((id) => waitingCall(id, { org_id: 'org_c', ...lead }));
    const world = await aCrowd(many, 6, { organizations: [A, 'org_b', 'org_c'].map((org_id) => anOrg({ org_id })) });
    const first = await handOverAll(world);
    expect(first).toEqual(many.slice(0, 6).map(({ call_id }) => call_id));

    for (const call of [...b, ...c]) {
      world.pass(1);
      world.putCall({ ...call, dial_after: world.now });
      await world.handOver({ org_id: call.org_id, type: 'call.queued', at: world.now });
    }
    for (const callId of first.slice(0, 5)) await end(world, callId);
    const next = world.deps.dialQueue.sent.slice(6).map(({ message }) => message.call_id);
    // The last slot goes to A, which has only one live call left.
    expect(next).toEqual(['call_b1', 'call_c1', 'call_b2', 'call_c2', 'call_a00006']);
  });

  it('goes to another of 1,000 organizations at each of 200 turns, and a hand-over reads at most 50 items', async () => {
    const calls = Array.from({ length: 1_000 }, (_org, org) =>
      Array.from({ length: 2 }, (_call, call) => waitingCall(`call_${org}_${call}`, { org_id: `org_${org}` })),
    ).flat();
    const world = await aCrowd(calls, 1);
    const itemsRead = world.countReads();
    const served: string[] = [];
    for (let turn = 0; turn < 200; turn += 1) {
      world.pass(1);
      const before = itemsRead();
      await world.handOver();
      expect(itemsRead() - before).toBeLessThanOrEqual(50);
      const callId = world.deps.dialQueue.sent.at(-1)?.message.call_id ?? '';
      served.push(world.stored(callId).org_id);
      await end(world, callId);
    }
    // The end of each call hands its slot over, too.
    expect(new Set(served).size).toBe(served.length);
  });

  it('goes to another of 1,000 organizations each time, beside a burst of 4,000 leads, by reading at most 50 items', async () => {
    const leads = Array.from({ length: 4_000 }, (_, index) => waitingCall(`call_lead_${index}`, lead));
    const others = Array.from({ length: 4_000 }, (_, index) =>
      waitingCall(`call_${index}`, { org_id: `org_${index % 1_000}`, dial_after: secondsAfter(START, 1) }),
    );
    const world = await aCrowd([...leads, ...others], 100, { organizations: [] });
    for (const org_id of new Set([A, ...others.map((call) => call.org_id)]))
      world.put('organizations', anOrg({ org_id }));
    world.pass(1);
    const itemsRead = world.countReads();
    const orgs: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      const before = itemsRead();
      await world.handOver();
      expect(itemsRead() - before).toBeLessThanOrEqual(50);
      for (const work of world.deps.dialQueue.due()) {
        orgs.push(world.stored(work.call_id).org_id);
        await world.doWork(work);
      }
      world.pass(1);
    }
    expect([orgs.length, new Set(orgs).size]).toEqual([100, 100]);
  });

  it('needs one dial message for each call: 400 calls on 200 slots', async () => {
    const calls = Array.from({ length: 400 }, (_, index) => waitingCall(`call_${index}`));
    const world = await aCrowd(calls, 200);
    const first = await dialAll(world);
    expect(first).toHaveLength(200);
    for (const callId of first) await end(world, callId);
    const all = [...first, ...(await dialAll(world))];
    expect([all.length, new Set(all).size]).toEqual([400, 400]);
    expect(world.live()).toEqual({ stage: 200, [`org#${A}`]: 200 });
  });

  it('needs few messages, however long 400 calls take on 200 slots, and with every run of recover-calls', async () => {
    const CALLS = 400;
    /** Each of their dials triggers the next hand-over, even the last ones. */
    const RESERVED_AT_ONCE = 12;
    const world = await aCrowd(
      Array.from({ length: CALLS }, (_, index) => waitingCall(`call_${index}`)),
      200,
    );
    const { dialQueue, slotsQueue } = world.deps;
    const messages = { dial: 0, check: 0, slots: 0 };
    /** Ends a call that is still queued at its `dial_by`. It waits for that time, and delays no dial. */
    const isCheck = (message: object) => 'end_if_queued' in message;
    for (const [name, queue] of [['dial', dialQueue] as const, ['slots', slotsQueue] as const]) {
      const { send, sendMany } = queue as QueueSender<object>;
      const counting: QueueSender<object> = {
        send: (message, delay) => {
          messages[isCheck(message) ? 'check' : name] += 1;
          return send(message, delay);
        },
        sendMany: (many) => {
          messages[name] += many.length;
          return sendMany(many);
        },
      };
      Object.assign(queue, counting);
    }
    world.deps.voice.read = async () => ({ kind: 'unknown', reason: 'busy' });
    const endsAt = new Map<string, number>();
    const ended = new Set<string>();
    const expectShortQueues = () => {
      const waiting = CALLS - endsAt.size;
      for (const queue of [dialQueue, slotsQueue])
        expect(queue.sent.filter(({ message }) => !isCheck(message)).length).toBeLessThanOrEqual(
          2 * waiting + RESERVED_AT_ONCE,
        );
    };
    /** Counts the rounds in which workers take all due messages. */
    let rounds = 0;
    let recoveries = 0;
    await world.handOver();
    for (let second = 0; ended.size < CALLS; second += 10) {
      for (const [callId, at] of endsAt) {
        if (at > second || ended.has(callId)) continue;
        ended.add(callId);
        messages.slots += 1;
        await end(world, callId);
        expectShortQueues();
      }
      if (second % 300 === 0 && second > 0) {
        recoveries += 1;
        expect(await world.recover()).toMatchObject({ failed: 0 });
        expectShortQueues();
      }
      while ([dialQueue, slotsQueue].some(({ sent }) => sent.some(({ due }) => due <= world.ms))) {
        rounds += 1;
        for (const message of slotsQueue.due()) await world.handOver(message);
        expectShortQueues();
        for (const work of dialQueue.due()) {
          if ((await world.doWork(work)) === 'accepted')
            endsAt.set(work.call_id, second + 200 + (endsAt.size % 10) * 20);
          expectShortQueues();
        }
      }
      world.pass(10);
      expect(second).toBeLessThan(900);
    }
    expect([endsAt.size, messages.dial, recoveries]).toEqual([CALLS, CALLS, 2]);
    expect(messages.check).toBeLessThanOrEqual(CALLS);
    expect(messages.slots).toBeLessThan(2 * CALLS + rounds);
  });

  it('is reserved shortly before its dial: a call of B waits behind 12 dials of A, not behind 200', async () => {
    const world = await aCrowd(
      Array.from({ length: 400 }, (_, index) => waitingCall(`call_a${index}`)),
      200,
      { organizations: [A, 'org_b'].map((org_id) => anOrg({ org_id })) },
    );
    const first = await handOverAll(world);
    expect(first).toHaveLength(12);
    world.pass(1);
    world.putCall(waitingCall('call_b', { org_id: 'org_b', dial_after: world.now }));
    expect(await world.handOver({ org_id: 'org_b', type: 'call.queued', at: world.now })).toBe(0);
    await world.doWork({ call_id: first[0] ?? '' });
    for (const message of world.deps.slotsQueue.due()) await world.handOver(message);
    expect(world.deps.dialQueue.sent.slice(12)).toMatchObject([{ message: { call_id: 'call_b' } }]);
  });

  it('is handed over even if calls with older reservations were never dialed', async () => {
    const world = await aCrowd(
      Array.from({ length: 40 }, (_, index) => waitingCall(`call_${index}`)),
      200,
    );
    expect(await handOverAll(world)).toHaveLength(12);
    world.pass(61);
    await world.handOver();
    expect((await handOverAll(world)).length).toBeGreaterThan(12);
  });

  it('does not exceed the bound of reserved calls while older reservations are stuck', async () => {
    const reservations = [-300, 0].flatMap((seconds) =>
      Array.from({ length: 12 }, (_, index) => {
        const at = secondsAfter(START, seconds);
        return aReservedCall({ call_id: `call_${at}_${index}`, dial_by: secondsAfter(at, 600), progress_at: at });
      }),
    );
    const world = await aCrowd([waitingCall('call_waits'), ...reservations], 200);
    expect(await handOverAll(world)).toEqual([]);
  });

  it('goes to an organization behind twelve others that have no calls left', async () => {
    const orgs = Array.from({ length: 13 }, (_, index) => anOrg({ org_id: `org_${String(index).padStart(2, '0')}` }));
    const world = await aCrowd([waitingCall('call_first', { org_id: 'org_00' })], 2, { organizations: orgs });
    world.putCall(waitingCall('call_last', { org_id: 'org_12' }));
    for (const [second, { org_id }] of orgs.entries())
      await world.stores.waitingOrgs.list(org_id, START, secondsAfter(START, second));
    world.pass(20);
    expect(await world.stores.waitingOrgs.longestWaiting(12)).toHaveLength(12);
    expect(await handOverAll(world)).toEqual(['call_first', 'call_last']);
  });

  it('is handed over a second later if other transactions keep writing the counters', async () => {
    const world = await aCrowd([waitingCall('call_1')], 1);
    world.hooks.before = (operation) => {
      if (operation !== 'TransactWrite') return;
      const CancellationReasons = [{ Code: 'TransactionConflict' }];
      throw new TransactionCanceledException({ $metadata: {}, message: '', CancellationReasons });
    };
    expect(await world.handOver()).toBe(0);
    delete world.hooks.before;
    world.pass(1);
    expect(await handOverDue(world)).toBe(1);
  });

  it('is not handed over if dialing is paused just then', async () => {
    const world = await aCrowd([waitingCall('call_1')], 1);
    world.beforeNextWrite(() => world.put('slots', { scope: 'stage', paused_at: START }));
    expect([await world.handOver(), world.stored('call_1').unfinished]).toEqual([0, 'waiting']);
  });

  it('is never handed over twice, wherever workers die and however two of them interleave', async () => {
    const calls = ['call_1', 'call_2', 'call_3'].map((id) => waitingCall(id));
    const begin = () => aCrowd(calls, 2);
    for await (const [world] of worldThatDies(begin, (each) => Promise.all([each.handOver(), each.handOver()]))) {
      expect(world.live().stage ?? 0).toBeLessThanOrEqual(2);
      world.pass(300);
      await world.recover();
      await handOverAll(world);
      expect(world.live()).toEqual({ stage: 2, [`org#${A}`]: 2 });
      expectConsistent(world);
    }
  });
});
