import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { CallEvent } from '../../../../shared/domain/calls/call-event.ts';
import type { Measure } from '../../../../shared/domain/metric.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { type CallChange, publishCallEvents } from '../../../../shared/operations/calls/publish-call-events.ts';
import { aCall } from '../../support/call.ts';
import { START } from '../../support/worlds/world.ts';

type Change = { before: Partial<Call>; after: Partial<Call> };

const ENDED = secondsAfter(START, 400);
const dialed = { created_at: START, status: 'dialing', platform_id: 'p1' } as const;
const ended = { ...dialed, status: 'completed', ended_at: ENDED } as const;
const finished = { ...ended, finished_at: secondsAfter(ENDED, 30) } as const;

const ringing = (afterSeconds: number): Change => {
  const before = { ...dialed, dial_claimed_at: secondsAfter(START, afterSeconds) };
  return { before, after: { ...before, status: 'ringing' } };
};
const finish = (afterSeconds: number): Change => ({
  before: ended,
  after: { ...ended, finished_at: secondsAfter(ENDED, afterSeconds) },
});
const callback = (callback_status: 'delivered' | 'failed'): Change => ({
  before: { ...finished, callback_status: 'pending' },
  after: { ...finished, callback_status },
});

/** The measures of the objectives. Their names would satisfy test/infra/house/metrics.test.ts without a test. */
const stoodOn = /InTime$|^Callback/;

/**
 * A stream with one change of each of several calls, and a bus.
 * @param refusedOnce the numbers of the changes whose events the bus refuses at their first delivery
 */
function aStream(changes: readonly Change[], refusedOnce: readonly string[] = []) {
  const refused = new Set(refusedOnce.map((number) => `call_${number}`));
  const measured: Measure[] = [];
  const accepted: string[] = [];
  const records = changes.map(({ before, after }, index): CallChange => {
    const [sequenceNumber, call_id] = [`${index + 1}`, `call_${index + 1}`];
    return { sequenceNumber, before: aCall({ ...before, call_id }), after: aCall({ ...after, call_id }) };
  });
  const deps = {
    publish: (events: readonly CallEvent[]) => {
      const answers = events.map(({ call_id }) => !refused.delete(call_id));
      accepted.push(...events.flatMap(({ call_id }, index) => (answers[index] ? [call_id] : [])));
      return Promise.resolve(answers);
    },
    measure: (measure: Measure) => void measured.push(measure),
  };
  return {
    deps,
    accepted,
    /** Delivers the changes from a sequence number on. */
    deliver: (from = '1') => publishCallEvents(deps, records.slice(Number(from) - 1)),
    measured: () => measured.flatMap(({ name, value }) => (stoodOn.test(name) ? [[name, value]] : [])),
  };
}

const [inTime, late] = [
  ['DialedInTime', 1],
  ['DialedInTime', 0],
];
const finishedInTime = ['FinishedInTime', 1];
const delivered = [
  ['CallbackDelivered', 1],
  ['CallbackFailed', 0],
];

describe('publish-call-events measures for the objectives', () => {
  it.each<[string, Change, unknown[]]>([
    ['a dial in time as 1', ringing(40), [inTime]],
    ['a late dial as 0', ringing(301), [late]],
    ['a finish in time as 1', finish(30), [finishedInTime]],
    ['a late finish as 0', finish(901), [['FinishedInTime', 0]]],
    ['a delivered callback', callback('delivered'), delivered],
    [
      'a failed callback',
      callback('failed'),
      [
        ['CallbackDelivered', 0],
        ['CallbackFailed', 1],
      ],
    ],
    [
      'nothing for a change that decides no objective',
      { before: finished, after: { ...finished, do_not_call_at: ENDED } },
      [],
    ],
  ])('%s', async (_what, change, measured) => {
    const stream = aStream([change]);
    expect(await stream.deliver()).toBeUndefined();
    expect(stream.measured()).toEqual(measured);
  });

  it('each change of a batch, in the order of the stream', async () => {
    const stream = aStream([ringing(301), callback('delivered'), finish(30)]);
    expect(await stream.deliver()).toBeUndefined();
    expect(stream.measured()).toEqual([late, ...delivered, finishedInTime]);
  });

  it('nothing if the bus cannot be reached, because the stream delivers the whole batch again', async () => {
    const stream = aStream([callback('delivered'), finish(30)]);
    const { publish } = stream.deps;
    stream.deps.publish = () => Promise.reject(new Error('reset'));
    await expect(stream.deliver()).rejects.toThrow('reset');
    expect(stream.measured()).toEqual([]);
    stream.deps.publish = publish;
    await stream.deliver();
    expect(stream.measured()).toEqual([...delivered, finishedInTime]);
  });
});

describe('a change whose event the bus refuses', () => {
  const changes = [ringing(40), callback('delivered'), finish(30), callback('delivered'), ringing(301)];
  const once = [inTime, ...delivered, finishedInTime, ...delivered, late];

  it('is measured with the later ones at the next delivery, so that none is measured twice', async () => {
    const stream = aStream(changes, ['3']);
    const again = await stream.deliver();
    expect(again).toBe('3');
    expect(stream.measured()).toEqual([inTime, ...delivered]);
    expect(await stream.deliver(again)).toBeUndefined();
    expect(stream.measured()).toEqual(once);
  });

  it('is published by the next delivery, so that no event is lost', async () => {
    const stream = aStream(changes, ['3']);
    const again = await stream.deliver();
    expect(again).toBe('3');
    expect(stream.accepted).not.toContain('call_3');
    await stream.deliver(again);
    expect(new Set(stream.accepted)).toEqual(new Set(['call_1', 'call_3', 'call_5']));
  });

  it('leads to a delivery from the first of several, which measures each change once', async () => {
    const stream = aStream(changes, ['5', '1']);
    const again = await stream.deliver();
    expect(again).toBe('1');
    expect(stream.measured()).toEqual([]);
    expect(await stream.deliver(again)).toBeUndefined();
    expect(stream.measured()).toEqual(once);
  });
});
