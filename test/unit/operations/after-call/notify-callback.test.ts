import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { viewCall } from '../../../../shared/domain/calls/call-view.ts';
import { readJsonAsWritten } from '../../../../shared/domain/text/exact-json.ts';
import { plainJson } from '../../../../shared/domain/text/plain-text.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { CallbackWork } from '../../../../shared/messages/callback-work.ts';
import { aCall, aResult } from '../../support/call.ts';
import { anEndedCall, callbackWorld, status } from '../../support/worlds/callback-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';
import { worldThatRepeats } from '../../support/worlds/world-that-repeats.ts';

const { call_id } = aCall();

/** An ended, analyzed call and its client. */
function aNotifiedCall(over: Partial<Call> = {}) {
  const base = callbackWorld([anEndedCall(over)]);
  const call = () => base.callOf(call_id);
  return Object.assign(base, {
    call,
    notification: (type: string) => base.notifications().find((callback) => callback.type === type),
    notify: (type: string) => base.deliver(base.eventOf(call(), type)),
  });
}

describe('the notification of the analysis', () => {
  it('contains the call with its analysis', async () => {
    const world = aNotifiedCall();
    expect(await world.notify('call.analyzed')).toBe('delivered');
    const { summary } = aResult();
    const analysis = { summary, success_eval: 'success', structured_data: {} };
    const data = { status: 'completed', summary, sentiment: 'positive', analysis };
    expect(world.sent).toMatchObject([{ type: 'call.analyzed', data }]);
    expect(world.sent[0]?.data.analysis).toEqual(analysis);
    const stored = { webhook_id: `${call_id}_call_analyzed`, state: 'delivered' };
    expect(world.notification('call.analyzed')).toMatchObject(stored);
  });

  it('contains every digit and character that the client has sent, although the event does not', async () => {
    const metadata = '{"order":9007199254740993,"text":"a\uffff\\ud800"}';
    const request_metadata = readJsonAsWritten(metadata) as Call['request_metadata'];
    const world = aNotifiedCall({ request_metadata, idempotency_key: 'k\ufffe' });
    const event = { ...world.eventOf(world.call(), 'call.analyzed'), call: plainJson(viewCall(world.call())) };
    await world.deliver(event);
    const body = world.notification('call.analyzed')?.body;
    expect(body).toContain(`"request_metadata":${metadata},`);
    expect(JSON.parse(body ?? '').data.idempotency_key).toBe('k\ufffe');
  });

  it('is sent once, however often its event is delivered', async () => {
    const world = aNotifiedCall();
    await world.notify('call.analyzed');
    expect(await world.notify('call.analyzed')).toBe('done_before');
    expect(world.sent).toHaveLength(1);
  });

  it('and the notifications of statuses are all delivered, in any order of events and retries', async () => {
    const types = ['call.in_progress', 'call.completed', 'call.analyzed'];
    const orders = fc.shuffledSubarray(types, { minLength: 3 });
    await fc.assert(
      fc.asyncProperty(orders, fc.subarray(types), async (order, refusedOnce) => {
        const world = aNotifiedCall();
        const toRefuse = new Set(refusedOnce);
        world.answer = (type) => status(toRefuse.delete(type) ? 500 : 204);
        for (const type of order) await world.notify(type);
        await world.run();
        expect(world.notification('call.analyzed')?.state).toBe('delivered');
        expect(world.notification('call.completed')?.state).toBe('delivered');
        expect(world.notification('call.in_progress')?.state).toMatch(/^(delivered|superseded)$/);
        expect(world.call().callback_status).toBe('delivered');
      }),
    );
  });

  it.each([204, 500, 410])('does not change the callback_status of the end: %i', async (code) => {
    const world = aNotifiedCall();
    await world.notify('call.completed');
    expect(world.call().callback_status).toBe('delivered');
    world.answer = () => status(code);
    await world.notify('call.analyzed');
    await world.run();
    expect(world.call().callback_status).toBe('delivered');
  });

  it('does not set callback_status, because the notification of the end may be delivered later', async () => {
    const world = aNotifiedCall();
    await world.notify('call.analyzed');
    expect(world.call().callback_status).toBe('pending');
    world.answer = () => status(500);
    await world.notify('call.completed');
    await world.run();
    expect(world.call().callback_status).toBe('failed');
    expect(world.notification('call.analyzed')?.state).toBe('delivered');
  });

  it('records at a 410 whether the end was delivered, even if the worker died before recording it', async () => {
    const world = aNotifiedCall();
    await world.notify('call.completed');
    world.putCall({ ...world.call(), callback_status: 'pending' });
    world.answer = () => status(410);
    await world.notify('call.analyzed');
    expect(world.call().callback_status).toBe('delivered');

    const other = aNotifiedCall();
    other.answer = () => status(410);
    await other.notify('call.analyzed');
    expect(other.call().callback_status).toBe('failed');
  });

  it('does not replace the callback_status of an end that was delivered while the 410 arrived', async () => {
    const world = aNotifiedCall();
    world.answer = async (type) => {
      if (type === 'call.completed') return status(204);
      await world.notify('call.completed');
      return status(410);
    };
    await world.notify('call.analyzed');
    expect(world.call().callback_status).toBe('delivered');
  });

  it('is not sent after a 410', async () => {
    const world = aNotifiedCall();
    world.answer = () => status(410);
    await world.notify('call.completed');
    expect(await world.notify('call.analyzed')).toBe('receiver_gone');
    expect(world.sent).toHaveLength(1);
    expect(world.notification('call.analyzed')).toMatchObject({ state: 'failed', attempts: [] });
  });

  it('is not sent for a call without a callback_url', async () => {
    const world = aNotifiedCall({ callback_url: undefined, callback_status: undefined });
    expect(await world.notify('call.analyzed')).toBe('no_callback');
    expect(world.sent).toEqual([]);
  });
});

describe('workers with the same notification', () => {
  it('record one attempt and schedule one more if they send it at once', async () => {
    const world = aNotifiedCall();
    world.answer = () => status(500);
    await Promise.all([world.notify('call.analyzed'), world.notify('call.analyzed')]);
    expect(world.notification('call.analyzed')?.attempts).toHaveLength(1);
    expect(world.sent).toHaveLength(1);
    expect(world.waiting()).toHaveLength(1);
  });

  it('do not overwrite the delivery by another worker', async () => {
    const world = aNotifiedCall();
    let attempts = 0;
    world.answer = () => status(++attempts === 1 ? 204 : 500);
    const outcomes = await Promise.all([world.notify('call.analyzed'), world.notify('call.analyzed')]);
    expect(outcomes).toContain('delivered');
    expect(world.notification('call.analyzed')).toMatchObject({ state: 'delivered', attempts: [{ status_code: 204 }] });
  });

  it('do not record an attempt after its lease has passed to another worker', async () => {
    const world = aNotifiedCall();
    const begun = world.now;
    world.answer = async () => {
      world.answer = () => status(500);
      world.pass(61);
      expect(await world.notify('call.analyzed')).toBe('tried');
      return status(503);
    };
    expect(await world.notify('call.analyzed')).toBe('done_before');
    const stored = world.notification('call.analyzed');
    expect(stored?.attempts).toEqual([{ at: begun }, { at: world.now, status_code: 500 }]);
    expect(stored?.message_at).toBe(secondsAfter(stored?.next_attempt_at ?? '', 1));
    expect(world.waiting()).toHaveLength(1);
  });

  it('do not give up a notification that another worker delivered', async () => {
    const world = aNotifiedCall();
    world.answer = (type) => status(type === 'call.in_progress' ? 500 : 204);
    await world.notify('call.in_progress');
    await world.notify('call.completed');
    const delivered = { ...world.notification('call.in_progress'), state: 'delivered' };
    world.beforeNextWrite(() => world.put('callbacks', delivered));
    await world.run();
    expect(world.notification('call.in_progress')?.state).toBe('delivered');
  });
});

describe('the result of an attempt', () => {
  const attempts = [1, 2, 7].flatMap((attempt) => [204, 410, 500].map((code) => [attempt, code] as const));
  it.each(attempts.flatMap((each) => ['call.completed', 'call.analyzed'].map((type) => [...each, type] as const)))(
    'with the number %i and the status %i, of %s, is the same whichever write the SDK repeats',
    async (attempt, code, type) => {
      const begin = async () => {
        const world = aNotifiedCall();
        world.answer = () => status(500);
        if (attempt > 1) await world.notify(type);
        for (let made = 2; made < attempt; made += 1) for (const work of world.next()) await world.deliver(work);
        world.answer = () => status(code);
        const [work = world.eventOf(world.call(), type)] = world.next();
        return Object.assign(world, { work });
      };
      const resultOf = (world: ReturnType<typeof aNotifiedCall>) => [
        world.notifications(),
        world.call(),
        world.waiting(),
      ];
      const undisturbed = await begin();
      await undisturbed.deliver(undisturbed.work);
      for await (const [world, repeated] of worldThatRepeats(begin, (each) => each.deliver(each.work))) {
        expect([repeated, ...resultOf(world)]).toEqual([repeated, ...resultOf(undisturbed)]);
        expect(world.sent).toHaveLength(attempt);
      }
    },
  );
});

it('the result of an attempt is stored although the SDK repeats it and another notification cannot be read', async () => {
  const begin = () => {
    const world = aNotifiedCall({ analysis_callback: 'pending' });
    world.answer = () => {
      world.put('callbacks', { call_id, webhook_id: `${call_id}_newer`, state: 'of a newer version' });
      return status(204);
    };
    return world;
  };
  for await (const [world, repeated] of worldThatRepeats(begin, (each) => each.notify('call.analyzed')))
    expect([repeated, world.call().analysis_callback]).toEqual([repeated, 'done']);
});

describe('the next attempt', () => {
  it.each([1, 2, 3, 4, 5, 6])('after attempt %i is made, wherever its worker dies', async (attempts) => {
    const begin = async () => {
      const world = aNotifiedCall();
      world.answer = () => status(500);
      let work: CallbackWork | undefined;
      for (let made = 1; made < attempts; made += 1) {
        await (work ? world.deliver(work) : world.notify('call.analyzed'));
        [work] = world.next();
      }
      return Object.assign(world, { attempt: () => (work ? world.deliver(work) : world.notify('call.analyzed')) });
    };
    for await (const [world, cut] of worldThatDies(begin, (each) => each.attempt())) {
      // The message is invisible for three minutes. Only some of the next attempts are due by then.
      world.pass(180);
      world.answer = () => status(204);
      await world.attempt();
      await world.run();
      expect({ cut, ...world.notification('call.analyzed') }).toMatchObject({ cut, state: 'delivered' });
      // An attempt whose answer was not recorded is repeated.
      expect(world.sent.length).toBeGreaterThanOrEqual(attempts);
      expect(world.sent.length).toBeLessThanOrEqual(attempts + 1);
    }
  });

  it('is not made after the seventh attempt, and copies of its message add no attempt', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), async (copies) => {
        const world = aNotifiedCall();
        world.answer = () => status(500);
        for (let copy = 0; copy < copies; copy += 1) await world.notify('call.analyzed');
        for (let due = world.next(); due.length > 0; due = world.next()) {
          expect(due).toHaveLength(1);
          for (const work of due) for (let copy = 0; copy < copies; copy += 1) await world.deliver(work);
        }
        expect(world.notification('call.analyzed')).toMatchObject({ state: 'failed' });
        expect(world.sent).toHaveLength(7);
      }),
      { numRuns: 20 },
    );
  });
});
