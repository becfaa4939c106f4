import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Callback } from '../../../../shared/domain/after-call/callback.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { viewCall } from '../../../../shared/domain/calls/call-view.ts';
import type { CallbackOutcome } from '../../../../shared/integrations/callbacks/send-callback.ts';
import type { CallbackWork } from '../../../../shared/messages/callback-work.ts';
import { type NotifyCallbackDeps, notifyCallback } from '../../../../shared/operations/after-call/notify-callback.ts';
import { aCall } from '../../support/call.ts';
import { aResult } from '../../support/ended-call.ts';

const START = Date.parse('2026-03-02T06:05:00.000Z');
const call_id = aCall().call_id;

/** A call that is over and analyzed, its client, and the queue and the schedules between them. */
function aToldCall(over: Partial<Call> = {}) {
  let call = aCall({
    status: 'completed',
    callback_url: 'https://client.example/hook',
    callback_status: 'pending',
    analysis: { state: 'done', result: aResult() },
    ...over,
  });
  const kept = new Map<string, Callback>();
  const world = {
    now: START,
    answer: (_type: string): CallbackOutcome => ({ kind: 'answered', status: 204 }),
    sent: [] as { type: string; data: Record<string, unknown> }[],
    planned: [] as { at: number; work: CallbackWork; name?: string }[],
    /** The worker dies before it plans the next attempt. */
    dies: false,
  };
  const plan = (message: (typeof world.planned)[number]) => {
    if (world.dies) throw new Error('killed');
    if (!message.name || !world.planned.some(({ name }) => name === message.name)) world.planned.push(message);
  };
  const deps: NotifyCallbackDeps = {
    calls: {
      get: async () => call,
      recordCallbackStatus: async (_callId, status) => {
        if (call.callback_status !== 'pending') return false;
        call = { ...call, callback_status: status };
        return true;
      },
    },
    callbacks: {
      create: async (callback) => !kept.has(callback.webhook_id) && !!kept.set(callback.webhook_id, callback),
      listOfCall: async () => [...kept.values()],
      recordAttempt: async ({ webhook_id, attempts, next_attempt_at: _, ...rest }, attempt, next) => {
        const stored = kept.get(webhook_id);
        if (stored?.state !== 'pending' || stored.attempts.length !== attempts.length) return false;
        kept.set(webhook_id, { ...rest, webhook_id, attempts: [...attempts, attempt], ...next });
        return true;
      },
      drop: async ({ next_attempt_at: _, ...callback }, state) =>
        void kept.set(callback.webhook_id, { ...callback, state }),
    },
    secretsOf: async () => ['whsec_'],
    send: async ({ body }) => {
      const { type, data } = JSON.parse(body);
      world.sent.push({ type, data });
      return world.answer(type);
    },
    callbackQueue: {
      send: async (work, delaySeconds = 0) => plan({ at: world.now + delaySeconds * 1000, work }),
      sendMany: async () => undefined,
    },
    sendAt: async (at, name, work) => plan({ at: at.getTime(), work, name }),
    now: () => new Date(world.now),
    random: () => 0.5,
  };
  return {
    world,
    call: () => call,
    notification: (type: string) => [...kept.values()].find((callback) => callback.type === type),
    deliver: (work: CallbackWork) => notifyCallback(deps, work),
    tell: (type: string) =>
      notifyCallback(deps, {
        call_id,
        type,
        at: new Date(START).toISOString(),
        call: { ...viewCall(call), status: type === 'call.analyzed' ? call.status : type.slice('call.'.length) },
      }),
    /** Delivers what is planned at its time, until nothing is. */
    async run() {
      for (let next = world.planned.shift(); next; next = world.planned.shift()) {
        world.now = Math.max(world.now, next.at);
        await notifyCallback(deps, next.work);
        world.planned.sort((a, b) => a.at - b.at);
      }
    },
  };
}

const status = (code: number): CallbackOutcome => ({ kind: 'answered', status: code });

describe('the notification of the analysis', () => {
  it('holds the call with its analysis', async () => {
    const { world, tell, notification } = aToldCall();
    expect(await tell('call.analyzed')).toBe('delivered');
    expect(world.sent).toEqual([
      {
        type: 'call.analyzed',
        data: expect.objectContaining({
          status: 'completed',
          summary: aResult().summary,
          sentiment: 'positive',
          analysis: { summary: aResult().summary, success_eval: 'success', structured_data: {} },
        }),
      },
    ]);
    expect(notification('call.analyzed')).toMatchObject({ webhook_id: `${call_id}_call_analyzed`, state: 'delivered' });
  });

  it('is told once, however often its event comes', async () => {
    const { world, tell } = aToldCall();
    await tell('call.analyzed');
    expect(await tell('call.analyzed')).toBe('done_before');
    expect(world.sent).toHaveLength(1);
  });

  it('and those of statuses are told beside each other, in whatever order they come and are repeated', async () => {
    const types = ['call.in_progress', 'call.completed', 'call.analyzed'];
    const orders = fc.shuffledSubarray(types, { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(orders, fc.subarray(types), async (order, refusedOnce) => {
        const { world, tell, run, notification, call } = aToldCall();
        const toRefuse = new Set(refusedOnce);
        world.answer = (type) => status(toRefuse.delete(type) ? 500 : 204);
        for (const type of order) await tell(type);
        await run();
        expect(notification('call.analyzed')?.state).toBe('delivered');
        expect(notification('call.completed')?.state).toBe('delivered');
        expect(notification('call.in_progress')?.state).toMatch(/^(delivered|superseded)$/);
        expect(call().callback_status).toBe('delivered');
      }),
    );
  });

  it.each([204, 500, 410])(
    'does not change what the notification of the end made of callback_status: %i',
    async (code) => {
      const { world, tell, run, call } = aToldCall();
      await tell('call.completed');
      expect(call().callback_status).toBe('delivered');
      world.answer = () => status(code);
      await tell('call.analyzed');
      await run();
      expect(call().callback_status).toBe('delivered');
    },
  );

  it('leaves callback_status to the notification of the end, which may come later', async () => {
    const { world, tell, run, call, notification } = aToldCall();
    await tell('call.analyzed');
    expect(call().callback_status).toBe('pending');
    world.answer = () => status(500);
    await tell('call.completed');
    await run();
    expect(call().callback_status).toBe('failed');
    expect(notification('call.analyzed')?.state).toBe('delivered');
  });

  it('that gets a 410 says what the client was told of the end: the worker that told it may have died before it wrote so', async () => {
    const { world, tell, call } = aToldCall();
    await tell('call.completed');
    Object.assign(call(), { callback_status: 'pending' });
    world.answer = () => status(410);
    await tell('call.analyzed');
    expect(call().callback_status).toBe('delivered');

    const untold = aToldCall();
    untold.world.answer = () => status(410);
    await untold.tell('call.analyzed');
    expect(untold.call().callback_status).toBe('failed');
  });

  it('is not sent after a 410', async () => {
    const { world, tell, notification } = aToldCall();
    world.answer = () => status(410);
    await tell('call.completed');
    expect(await tell('call.analyzed')).toBe('receiver_gone');
    expect(world.sent).toHaveLength(1);
    expect(notification('call.analyzed')).toMatchObject({ state: 'failed', attempts: [] });
  });

  it('is none where nobody wants to be told', async () => {
    const { world, tell } = aToldCall({ callback_url: undefined, callback_status: undefined });
    expect(await tell('call.analyzed')).toBe('no_callback');
    expect(world.sent).toEqual([]);
  });
});

describe('the next attempt', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'after attempt %i is made although the worker died before it planned it: its own message comes again',
    async (attempts) => {
      const { world, tell, deliver, run, notification } = aToldCall();
      world.answer = () => status(500);
      let work: CallbackWork | undefined;
      await tell('call.analyzed');
      for (let made = 1; made < attempts; made += 1) {
        const next = world.planned.shift();
        world.now = Math.max(world.now, next?.at ?? 0);
        work = next?.work;
        if (made + 1 === attempts) world.dies = true;
        const delivery = deliver(next?.work as CallbackWork);
        await (world.dies ? expect(delivery).rejects.toThrow('killed') : delivery);
      }
      if (attempts === 1) world.planned.length = 0;
      world.dies = false;
      expect(notification('call.analyzed')?.attempts).toHaveLength(attempts);
      expect(world.planned).toEqual([]);

      // Invisible for three minutes: some next attempts are due by then, others are not.
      world.now += 180_000;
      world.answer = () => status(204);
      await (work ? deliver(work) : tell('call.analyzed'));
      await run();
      expect(notification('call.analyzed')).toMatchObject({ state: 'delivered' });
      expect(notification('call.analyzed')?.attempts).toHaveLength(attempts + 1);
    },
  );

  it('is made once, seven in all, however many messages of it there are; each puts back one at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), async (copies) => {
        const { world, tell, deliver, notification } = aToldCall();
        world.answer = () => status(503);
        for (let copy = 0; copy < copies; copy += 1) await tell('call.analyzed');
        let deliveries = 0;
        for (let next = world.planned.shift(); next; next = world.planned.shift()) {
          deliveries += 1;
          world.now = Math.max(world.now, next.at);
          const before = world.planned.length;
          await deliver(next.work);
          expect(world.planned.length - before).toBeLessThanOrEqual(1);
          world.planned.sort((a, b) => a.at - b.at);
        }
        expect(notification('call.analyzed')).toMatchObject({ state: 'failed' });
        expect(world.sent).toHaveLength(7);
        expect(deliveries).toBeLessThanOrEqual(6 * copies);
      }),
    );
  });
});
