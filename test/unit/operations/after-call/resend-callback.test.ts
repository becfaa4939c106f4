import fc from 'fast-check';
import type { Callback } from '../../../../shared/domain/after-call/callbacks/callback.ts';
import { callbacksOf } from '../../../../shared/domain/after-call/callbacks/callback-hosts.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { resendCallback } from '../../../../shared/operations/after-call/resend-callback.ts';
import { aCall } from '../../support/call.ts';
import { anEndedCall, callbackWorld, status } from '../../support/worlds/callback-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';
import { worldThatRepeats } from '../../support/worlds/world-that-repeats.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const { call_id, org_id } = aCall();

/** An ended call whose client received notifications, and a person who sends one again. */
function aResender() {
  const base = callbackWorld([anEndedCall()]);
  let tokens = 0;
  const deps = { ...base.deps, newToken: () => String(++tokens) };
  const notification = (type = 'call.completed'): Callback => {
    const found = base.notifications().find((callback) => callback.type === type);
    if (!found) throw new Error(`no notification ${type}`);
    return found;
  };
  return Object.assign(base, {
    notification,
    call: () => base.callOf(call_id),
    notify: (type: string) => base.deliver(base.eventOf(base.callOf(call_id), type)),
    resend: (type = 'call.completed', of = org_id) =>
      resendCallback(deps, actor, { org_id: of, call_id, webhook_id: `${call_id}_${type.replaceAll('.', '_')}` }),
    audited: () => base.auditEntries(),
  });
}

type Resender = ReturnType<typeof aResender>;

/** Puts the notification of the end into a state. */
const settled: Record<Callback['state'], (world: Resender) => Promise<unknown>> = {
  delivered: (world) => world.notify('call.completed'),
  failed: async (world) => {
    world.answer = () => status(500);
    await world.notify('call.completed');
    await world.run();
  },
  gone: async (world) => {
    world.answer = () => status(410);
    await world.notify('call.completed');
  },
  superseded: async (world) => {
    await world.notify('call.completed');
    world.put('callbacks', { ...world.notification(), state: 'superseded' });
  },
  pending: async (world) => {
    world.answer = () => status(500);
    await world.notify('call.completed');
  },
};
const states = Object.keys(settled) as Callback['state'][];

describe('a notification that a person sends again', () => {
  it.each(states)('after it was %s is delivered with the same id and body, once', async (state) => {
    const world = aResender();
    await settled[state](world);
    const before = world.notification();
    const sent = world.sent.length;
    world.answer = () => status(204);
    expect(await world.resend()).toBe('queued');
    for (const work of world.due()) await world.deliver(work);
    const after = world.notification();
    expect(after).toMatchObject({ state: 'delivered', body: before.body, webhook_id: before.webhook_id });
    expect(after).not.toHaveProperty('asked');
    expect(after).not.toHaveProperty('next_attempt_at');
    expect(world.sent.slice(sent)).toMatchObject([{ webhookId: before.webhook_id, type: 'call.completed' }]);
    expect(after.attempts.at(-1)).toEqual({ at: world.now, status_code: 204, asked: true });
    expect(world.call().callback_status).toBe('delivered');
    // The planned attempt of the schedule sends nothing.
    await world.run();
    expect(world.sent).toHaveLength(sent + 1);
    expect(world.audited()).toMatchObject([
      { action: 'callback.resent', actor, thing: { id: call_id, name: 'call.completed' }, before: { state } },
    ]);
  });

  it.each(states)('after it was %s keeps that state if the receiver fails', async (state) => {
    const world = aResender();
    await settled[state](world);
    const before = world.notification();
    world.answer = () => status(500);
    await world.resend();
    for (const work of world.due()) await world.deliver(work);
    const after = world.notification();
    expect([after.state, after.attempts.length]).toEqual([state, before.attempts.length + 1]);
    expect(after).not.toHaveProperty('asked');
    // The schedule continues as before.
    expect(after.next_attempt_at).toBe(before.next_attempt_at);
    await world.run();
    const scheduled = world.notification().attempts.filter(({ asked }) => !asked);
    expect(scheduled).toHaveLength(state === 'failed' || state === 'pending' ? 7 : 1);
  });

  it('is refused for good by a 410, unless it was delivered', async () => {
    for (const state of states) {
      const world = aResender();
      await settled[state](world);
      world.answer = () => status(410);
      await world.resend();
      for (const work of world.due()) await world.deliver(work);
      expect([state, world.notification().state]).toEqual([state, state === 'delivered' ? 'delivered' : 'gone']);
    }
  });

  it('is sent once, however often it is requested, and copies of its message have no effect', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), async (clicks, copies) => {
        const world = aResender();
        await settled.gone(world);
        const answers: string[] = [];
        await Promise.all(Array.from({ length: clicks }, async () => answers.push(await world.resend())));
        expect(answers.filter((answer) => answer === 'queued')).toHaveLength(1);
        const [work] = world.due();
        await Promise.all(Array.from({ length: copies }, () => work && world.deliver(work)));
        expect([world.sent.length, world.notification().attempts.length, world.audited().length]).toEqual([2, 2, 1]);
      }),
      { numRuns: 20 },
    );
  });

  it('starts no attempt beside one that is under way', async () => {
    const world = aResender();
    let during: string | undefined;
    world.answer = async () => {
      during ??= await world.resend();
      return status(204);
    };
    await world.notify('call.completed');
    expect([during, world.sent.length, world.audited()]).toEqual(['under_way', 1, []]);
  });

  it('waits for its receiver’s breaker, for an hour at most, and its schedule continues', async () => {
    for (const state of ['failed', 'pending'] as const) {
      const world = aResender();
      await settled[state](world);
      const before = world.notification();
      const { sent } = world;
      const made = sent.length;
      const open = (minutes: number) => {
        const open_until = new Date(world.ms + minutes * 60_000).toISOString();
        const hosts = [{ host: 'client.example', failures: 9, failed_at: world.now, open_until }];
        const receiver = callbacksOf(org_id);
        world.put('receivers', { receiver, version: 1, leases: [], hosts, expires_at: 4_000_000_000 });
      };
      open(30);
      await world.resend();
      for (const work of world.due()) await world.deliver(work);
      expect([sent.length, await world.resend()]).toEqual([made, 'under_way']);
      open(120);
      // The next message after half an hour finds the breaker open, beyond the hour.
      for (let due = world.next(); due.length > 0 && world.notification().asked; due = world.next())
        for (const work of due) await world.deliver(work);
      expect(sent).toHaveLength(made);
      expect(world.notification()).toMatchObject({ state, attempts: before.attempts });
    }
  });

  it('is requested again if its message was lost, and sent if a worker died', async () => {
    for await (const [world, cut] of worldThatDies(
      async () => {
        const world = aResender();
        await settled.failed(world);
        world.answer = () => status(204);
        return world;
      },
      async (world) => {
        await world.resend();
        for (const work of world.due()) await world.deliver(work);
      },
    )) {
      // The message is hidden for three minutes; the person requests it again after a minute.
      world.pass(180);
      for (const { attempts, state, webhook_id } of [world.notification()])
        if (attempts.at(-1)?.asked && state !== 'failed') await world.deliver({ call_id, webhook_id });
      if (world.notification().state !== 'delivered') await world.resend();
      await world.run();
      expect({ cut, ...world.notification() }).toMatchObject({ cut, state: 'delivered' });
      expect([cut, world.call().callback_status]).toEqual([cut, 'delivered']);
      expect(world.audited()).toHaveLength(1);
    }
  });

  const everyResult = states.flatMap((state) => [204, 410, 500].map((code) => [state, code] as const));
  /** A requested attempt, of which a worker has the message. */
  const aRequest = async (state: Callback['state'], code: number) => {
    const world = aResender();
    await settled[state](world);
    world.answer = () => status(code);
    await world.resend();
    const [work] = world.due();
    return Object.assign(world, { attempt: async () => work && world.deliver(work) });
  };
  const resultOf = (world: Resender) => ({ callbacks: world.notifications(), call: world.call() });

  it.each(everyResult)('after it was %s has the same result, whichever write the SDK repeats: %i', async (...of) => {
    const undisturbed = await aRequest(...of);
    await undisturbed.attempt();
    for await (const [world, repeated] of worldThatRepeats(
      () => aRequest(...of),
      (each) => each.attempt(),
    )) {
      expect({ repeated, ...resultOf(world) }).toEqual({ repeated, ...resultOf(undisturbed) });
      expect([world.waiting(), world.sent]).toEqual([undisturbed.waiting(), undisturbed.sent]);
    }
  });

  it.each(everyResult)('after it was %s settles the call, wherever its worker dies: %i', async (...of) => {
    const undisturbed = await aRequest(...of);
    await undisturbed.attempt();
    await undisturbed.run();
    for await (const [world, cut] of worldThatDies(
      () => aRequest(...of),
      (each) => each.attempt(),
    )) {
      world.pass(180);
      await world.attempt();
      await world.run();
      await world.recover();
      const { callbacks, call } = resultOf(world);
      const expected = resultOf(undisturbed);
      expect([cut, callbacks[0]?.state, callbacks[0]?.asked]).toEqual([cut, expected.callbacks[0]?.state, undefined]);
      expect([cut, call.callback_status]).toEqual([cut, expected.call.callback_status]);
    }
  });

  it('is sent after its message was lost and a person requests it again, whichever write the SDK repeats', async () => {
    const begin = async () => {
      const world = aResender();
      await settled.failed(world);
      world.answer = () => status(204);
      await world.resend();
      world.due();
      world.pass(61);
      return world;
    };
    for await (const [world, repeated] of worldThatRepeats(begin, async (each) => {
      expect(await each.resend()).toBe('queued');
    })) {
      await world.run();
      expect([repeated, world.call().callback_status]).toEqual([repeated, 'delivered']);
    }
  });

  it('is given up if every worker that sends it dies', async () => {
    const world = aResender();
    await settled.failed(world);
    await world.resend();
    const [work] = world.due();
    const dead = { at: world.now, asked: true };
    const { attempts } = world.notification();
    world.put('callbacks', { ...world.notification(), attempts: [...attempts, dead, dead, dead] });
    expect([work && (await world.deliver(work)), world.notification().state]).toEqual(['given_up', 'failed']);
    expect(world.notification()).not.toHaveProperty('asked');
  });

  it('must be stored and belong to the person’s organization', async () => {
    const world = aResender();
    await settled.failed(world);
    expect(await world.resend('call.completed', 'org2')).toBe('callback_not_found');
    expect(await world.resend('call.ringing')).toBe('callback_not_found');
    expect(world.audited()).toEqual([]);
  });
});
