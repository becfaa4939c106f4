import type { Callback } from '../../../../../shared/domain/after-call/callbacks/callback.ts';
import {
  type CallbackStep,
  callbackStep,
  isMessageLost,
  isTooLate,
  outcomeFor,
} from '../../../../../shared/domain/after-call/callbacks/callback-step.ts';
import type { ReceiverOutcome } from '../../../../../shared/domain/after-call/receiver.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';

const START = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => secondsAfter(START, seconds);
const now = new Date(START);

const aCallback = (over: Partial<Callback> = {}): Callback => ({
  call_id: 'call_1',
  webhook_id: 'call_1_call_ringing',
  org_id: 'org1',
  type: 'call.ringing',
  url: 'https://client.example/hook',
  body: '{}',
  created_at: START,
  attempts: [],
  state: 'pending',
  expires_at: 0,
  ...over,
});
const attempts = (count: number) => Array.from({ length: count }, () => ({ at: START }));
const asked = { state: 'failed', asked: { at: at(1) } } as const;
const none = (reason: string) => ({ kind: 'none', reason });
const attempt = (isEndDelivered = false) => ({ kind: 'attempt', isEndDelivered });

describe('a message about a notification', () => {
  it.each<[string, Partial<Callback>, object]>([
    ['makes the first attempt', {}, attempt()],
    ['makes the next attempt when it is due', { attempts: attempts(6), next_attempt_at: START }, attempt()],
    ['does nothing after the delivery', { state: 'delivered' }, none('done_before')],
    ['does nothing while another worker has the lease', { lease: { id: 'l', until: at(0.001) } }, none('under_way')],
    ['makes an attempt when the lease of another worker has ended', { lease: { id: 'l', until: START } }, attempt()],
    ['makes a requested attempt after all scheduled ones', { attempts: attempts(7), ...asked }, attempt()],
    [
      'gives up a requested attempt after three tries without a result',
      { state: 'failed', attempts: attempts(3), asked: { at: START } },
      { kind: 'give_up' },
    ],
    [
      'makes a requested attempt again after two tries',
      { state: 'failed', attempts: attempts(2), asked: { at: START } },
      attempt(),
    ],
    ['gives up after seven attempts', { attempts: attempts(7) }, { kind: 'give_up' }],
    ['plans an attempt that is not due', { next_attempt_at: at(5) }, { kind: 'plan', at: at(5) }],
    [
      'plans an attempt again if the message arrives before the attempt is due',
      { next_attempt_at: at(5), message_at: at(4.999) },
      { kind: 'plan', at: at(5) },
    ],
    [
      "does nothing if its plan's message is on the way",
      { next_attempt_at: at(5), message_at: at(5) },
      none('planned_before'),
    ],
  ])('%s', (_rule, over, step) => {
    const callback = aCallback(over);
    expect(callbackStep(callback, [callback], now)).toEqual(step);
  });

  it('does nothing if the notification does not exist', () => {
    expect(callbackStep(undefined, [], now)).toEqual(none('done_before'));
  });

  const gone = { kind: 'drop', state: 'failed', reason: 'receiver_gone' };
  const superseded = { kind: 'drop', state: 'superseded', reason: 'superseded' };
  it.each<[string, Partial<Callback>, CallbackStep | object]>([
    ['drops the notification if the receiver wants no notification of this call', { state: 'gone' }, gone],
    [
      'drops the notification if a later status was delivered',
      { type: 'call.in_progress', state: 'delivered' },
      superseded,
    ],
    ['drops the notification if the end was delivered', { type: 'call.completed', state: 'delivered' }, superseded],
    [
      'keeps the notification if a later status was not delivered',
      { type: 'call.completed', state: 'failed' },
      attempt(),
    ],
    [
      'keeps the notification if an earlier status was delivered',
      { type: 'call.dialing', state: 'delivered' },
      attempt(),
    ],
  ])('%s', (_rule, over, step) => {
    expect(callbackStep(aCallback(), [aCallback(), aCallback(over)], now)).toEqual(step);
  });

  it('passes on to the attempt of the analysis whether the end was delivered', () => {
    const analyzed = aCallback({ type: 'call.analyzed' });
    for (const [state, isDelivered] of [
      ['delivered', true],
      ['failed', false],
    ] as const)
      expect(callbackStep(analyzed, [analyzed, aCallback({ type: 'call.completed', state })], now)).toEqual(
        attempt(isDelivered),
      );
    const ringing = aCallback({ state: 'delivered' });
    expect(callbackStep(analyzed, [analyzed, ringing], now)).toEqual(attempt(false));
  });
});

describe('the message of the next attempt', () => {
  it.each<[string, Partial<Callback>, seconds: number]>([
    ['a minute after the notification was made', {}, 60],
    ['a minute after the attempt was due', { next_attempt_at: at(300) }, 360],
    ['a minute after the lease of a dead worker', { lease: { id: 'l', until: at(60) } }, 120],
    ['a minute after it was due, if the lease ended before', { lease: { id: 'l', until: at(-9) } }, 60],
    ['later if a message was sent since', { message_at: at(100) }, 200],
  ])('counts as lost %s', (_when, over, seconds) => {
    const isLost = (later: number, more: Partial<Callback> = {}) =>
      isMessageLost(aCallback({ ...over, ...more }), new Date(at(later)));
    expect([isLost(seconds - 0.001), isLost(seconds)]).toEqual([false, true]);
    expect(isLost(seconds, { state: 'delivered' })).toBe(false);
  });
});

it('a notification is given up if it would wait for its receiver for more than three days', () => {
  const days = (count: number) => isTooLate({ created_at: START }, at(count * 86_400));
  expect([days(3), days(3.001)]).toEqual([false, true]);
});

it('a requested attempt is given up if it would wait for more than an hour', () => {
  const asked = (seconds: number) => isTooLate({ created_at: at(-9 * 86_400), asked: { at: START } }, at(seconds));
  expect([asked(3_600), asked(3_601)]).toEqual([false, true]);
});

it.each<[number | undefined, ReceiverOutcome]>([
  [200, 'answered'],
  [404, 'answered'],
  [410, 'answered'],
  [500, 'answered'],
  [429, 'unanswered'],
  [502, 'unanswered'],
  [503, 'unanswered'],
  [504, 'unanswered'],
  [undefined, 'unanswered'],
])('a callback answered with %s counts as %s', (code, outcome) => {
  expect(outcomeFor(code === undefined ? undefined : { status: code })).toBe(outcome);
});
