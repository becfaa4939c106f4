import fc from 'fast-check';
import { type Call, isWaiting } from '../../../../../shared/domain/calls/call.ts';
import { callStatuses, isTerminal, mayBecome } from '../../../../../shared/domain/calls/call-status.ts';
import {
  type EndReport,
  type PlatformMessage,
  platformMessageSchema,
  stepFor,
} from '../../../../../shared/domain/calls/platform/platform-message.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aClaimedCall } from '../../../support/call.ts';

const ID = 'platform-1';
const progress = (status: 'dialing' | 'ringing' | 'in_progress', platform_id = ID): PlatformMessage => ({
  kind: 'progress',
  platform_id,
  status,
});
const hungUp = (platform_id = ID): PlatformMessage => ({
  kind: 'hung_up',
  platform_id,
  at: '2026-03-02T06:02:05.000Z',
  reason: 'customer-ended-call',
});
const report = (outcome: EndReport['outcome'], platform_id = ID): EndReport => ({
  kind: 'report',
  platform_id,
  outcome,
  reason: `reason of ${outcome}`,
  started_at: '2026-03-02T06:01:00.000Z',
  ended_at: '2026-03-02T06:02:04.100Z',
});

/** Applies the step of a message as the calls table does (shared/stores/calls/calls.ts). */
function apply(call: Call, message: PlatformMessage): Call {
  const step = stepFor(call, message);
  const { platform_id } = message;
  switch (step.kind) {
    case 'nothing':
    case 'warn_of_double_dial':
    case 'hang_up':
      return call;
    case 'advance': {
      const status = mayBecome(call.status, step.to) ? step.to : call.status;
      return { ...call, status, platform_id, unfinished: 'claimed' };
    }
    case 'note_hang_up':
      return { ...call, hung_up_at: step.at, ended_reason: step.reason, platform_id, unfinished: 'claimed' };
    case 'give_back': {
      const { dial_claimed_at, slots, platform_id: _id, hung_up_at, ended_reason, ...kept } = call;
      const former_platform_ids = new Set([...(call.former_platform_ids ?? []), platform_id]);
      return { ...kept, former_platform_ids, unfinished: 'waiting' };
    }
    case 'end': {
      const { slots, ...kept } = call;
      return { ...kept, ...step.ending, platform_id, unfinished: 'ended' };
    }
  }
}

/** Omits the hang-up time of an ended call, because it depends on whether the report came first. */
const seen = ({ hung_up_at, ...call }: Call) => (isTerminal(call.status) ? call : { ...call, hung_up_at });
const endOf = (call: Call, messages: PlatformMessage[]) => seen(messages.reduce(apply, call));

const openMessages = [progress('dialing'), progress('ringing'), progress('in_progress'), hungUp()];
const dialed = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'] as const;

/** @returns the messages once in order, and each of them one to three times in any order */
const mixed = (messages: PlatformMessage[]) =>
  fc.record({
    inOrder: fc.constant<PlatformMessage[]>([...messages]),
    shuffled: fc
      .shuffledSubarray([...messages, ...messages, ...messages], { minLength: messages.length })
      .map((some) => [...some, ...messages.filter((message) => !some.includes(message))]),
  });

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

describe('the platform’s messages about a call', () => {
  const claimed = aClaimedCall();
  const accepted = aClaimedCall({ platform_id: ID });

  it.each(dialed)('lead to the same end in each of their 120 orders: %s', (outcome) => {
    const messages = [...openMessages, report(outcome)];
    const expected = endOf(claimed, messages);
    const ended_reason = `reason of ${outcome}`;
    expect(expected).toMatchObject({
      status: outcome,
      ended_reason,
      platform_id: ID,
      started_at: '2026-03-02T06:01:00.000Z',
      ended_at: '2026-03-02T06:02:04.100Z',
      duration: 65,
      unfinished: 'ended',
    });
    for (const order of permutations(messages)) {
      expect(endOf(claimed, order)).toEqual(expected);
      expect(endOf(accepted, order)).toEqual(expected);
    }
  });

  it('lead to the same end with repeated or missing messages, whether or not the platform id is already known', () => {
    const sets = fc
      .tuple(fc.subarray(openMessages), fc.option(fc.constantFrom(...dialed), { nil: undefined }))
      .map(([open, outcome]) => (outcome ? [...open, report(outcome)] : open))
      .chain(mixed);
    forAll([sets, fc.boolean()], { numRuns: 1000 }, ({ inOrder, shuffled }, idIsKnown) => {
      const call = idIsKnown ? accepted : claimed;
      expect(endOf(call, shuffled)).toEqual(endOf(call, inOrder));
    });
  });

  it('never lower the status, and never change an end', () => {
    const anyMessage = fc.constantFrom(...openMessages, ...dialed.map((outcome) => report(outcome)));
    forAll([fc.array(anyMessage, { maxLength: 12 })], (messages) => {
      let call = claimed;
      for (const message of messages) {
        const next = apply(call, message);
        expect(next.status === call.status || mayBecome(call.status, next.status)).toBe(true);
        if (isTerminal(call.status)) expect(next).toBe(call);
        call = next;
      }
    });
  });

  it('do not end the call before the report: a hang-up is only recorded, once', () => {
    const call = apply(accepted, hungUp());
    expect(call).toMatchObject({ status: 'dialing', hung_up_at: '2026-03-02T06:02:05.000Z', unfinished: 'claimed' });
    const again = { ...hungUp(), at: '2026-03-02T07:00:00.000Z' } as PlatformMessage;
    expect(stepFor(call, again)).toEqual({ kind: 'nothing', why: 'known' });
  });

  it('give the platform id to a call without one, even if the status is already known', () => {
    expect(apply(claimed, progress('dialing'))).toMatchObject({ status: 'dialing', platform_id: ID });
    expect(stepFor(accepted, progress('dialing'))).toEqual({ kind: 'nothing', why: 'known' });
  });
});

describe('a queued message', () => {
  const complete: Required<EndReport> = {
    ...report('completed'),
    started_at: '2026-03-02T06:01:00.000Z',
    is_account_fault: true,
    refuses_account: true,
    refuses_number: true,
    is_end_estimated: true,
    reported_at: '2026-03-02T06:02:33.000Z',
    transcript: 'Hello.',
    lines: [{ who: 'assistant', text: 'Hello.', from: 0, to: 1 }],
    transcript_key: 'reported-transcripts/call_1.txt',
    lines_key: 'reported-transcripts/call_1.json',
  };
  const outcomes = [...dialed, 'not_dialed'] as const;

  it.each<PlatformMessage>([...openMessages, ...outcomes.map((outcome) => ({ ...complete, outcome }))])(
    'is read back with all its members: %j',
    (message) => {
      expect(platformMessageSchema.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
    },
  );
});

describe('a report that no phone rang', () => {
  const claimed = aClaimedCall();
  const beforeRinging = [progress('dialing'), hungUp(), report('not_dialed')];

  it('gives the call back with the same result in any order and however often it is repeated', () => {
    forAll([mixed(beforeRinging)], ({ shuffled }) => {
      const call = endOf(claimed, shuffled);
      expect(call).toEqual(endOf(claimed, beforeRinging));
      expect(call).toMatchObject({ status: 'dialing', unfinished: 'waiting', former_platform_ids: new Set([ID]) });
      expect(isWaiting(call)).toBe(true);
      expect(call).not.toHaveProperty('slots');
      expect(call).not.toHaveProperty('ended_reason');
    });
  });

  it.each(['ringing', 'in_progress'] as const)('ends the call as failed if it is already %s', (status) => {
    expect(apply(aClaimedCall({ status, platform_id: ID }), report('not_dialed'))).toMatchObject({ status: 'failed' });
  });

  it('ends a call that adopted late messages of an attempt declared absent, so that the call never stays open', () => {
    const { dial_claimed_at, slots, ...waiting } = aClaimedCall();
    for (const late of [progress('dialing'), hungUp()]) {
      const adopted = apply({ ...waiting, status: 'dialing', unfinished: 'waiting' }, late);
      expect(stepFor(adopted, report('not_dialed'))).toMatchObject({ kind: 'end', ending: { status: 'failed' } });
    }
  });

  it.each<[Partial<EndReport>, isAccountFault: boolean, closesGate: boolean, ungated?: 'destination' | 'platform']>([
    [{ is_account_fault: true }, true, false, 'destination'],
    [{ refuses_account: true }, false, true],
    [{ is_account_fault: true, refuses_account: true }, true, true],
    [{ is_account_fault: false, refuses_account: false }, false, false, 'platform'],
    [{}, false, false, 'platform'],
  ])('says whether the account is at fault, and whether a gate stops other calls: %j', (given, ...told) => {
    const [isAccountFault, closesGate, ungated] = told;
    const reason = 'reason of not_dialed';
    const step = { kind: 'give_back', reason, isAccountFault, closesGate };
    const alone = { ...step, ...(ungated && { ungated }) };
    expect(stepFor(claimed, { ...report('not_dialed'), ...given })).toStrictEqual(alone);
    const ofNumber = { ...report('not_dialed'), ...given, refuses_number: true };
    expect(stepFor(claimed, ofNumber)).toStrictEqual({ ...step, closesNumber: true });
  });

  it('does nothing to a call that has ended', () => {
    const call = aClaimedCall({ status: 'completed', platform_id: ID });
    expect(stepFor(call, report('not_dialed'))).toEqual({ kind: 'nothing', why: 'ended' });
  });

  it('does nothing to a call without a claimed attempt', () => {
    const waiting = aClaimedCall({ dial_claimed_at: undefined, slots: undefined, unfinished: 'waiting' });
    for (const status of ['dialing', 'queued'] as const)
      expect(stepFor({ ...waiting, status }, report('not_dialed'))).toEqual({ kind: 'nothing', why: 'no_attempt' });
  });

  it('does nothing to a call that was postponed after its attempt was given back, so that its lead is still called', () => {
    const postponed = aClaimedCall({ dial_claimed_at: undefined, slots: undefined, unfinished: 'scheduled', held: 0 });
    const step = stepFor({ ...postponed, status: 'scheduled', absences: 1 }, report('not_dialed'));
    expect(step).toEqual({ kind: 'nothing', why: 'no_attempt' });
  });
});

describe('the messages of a former attempt', () => {
  const late = [...openMessages, report('completed'), report('not_dialed')];
  const second = [progress('ringing', 'platform-2'), hungUp('platform-2'), report('busy', 'platform-2')];
  const nextAttempt = aClaimedCall({ former_platform_ids: new Set([ID]), attempts: 2 });

  it('change nothing, wherever they arrive among the messages of the next attempt', () => {
    const orders = fc.shuffledSubarray([...second, ...late], { minLength: second.length + late.length });
    forAll([orders], (messages) => {
      expect(endOf(nextAttempt, messages)).toEqual(endOf(nextAttempt, second));
    });
    expect(endOf(nextAttempt, second)).toMatchObject({ status: 'busy', platform_id: 'platform-2' });
  });

  it('change nothing while the call waits for its next attempt', () => {
    const waiting = { ...nextAttempt, dial_claimed_at: undefined, slots: undefined, unfinished: 'waiting' as const };
    for (const message of late) expect(apply(waiting, message)).toBe(waiting);
    for (const message of [progress('dialing'), hungUp(), report('completed'), report('not_dialed')])
      expect(stepFor(waiting, message)).toEqual({ kind: 'nothing', why: 'former_attempt' });
  });

  it('cause a warning if they say that a phone still rings', () => {
    for (const status of ['ringing', 'in_progress'] as const)
      expect(stepFor(nextAttempt, progress(status))).toEqual({ kind: 'warn_of_double_dial', isLive: true });
  });
});

describe('the report that a call was canceled in the queue of the platform', () => {
  const canceled = aClaimedCall({ platform_id: ID, cancel_asked_at: '2026-03-02T06:15:00.000Z' });
  const { started_at, ...unanswered } = report('canceled');

  it('gives the call back, because no phone rang', () => {
    const step = { kind: 'give_back', reason: unanswered.reason, isAccountFault: false, closesGate: false };
    for (const status of ['queued', 'dialing'] as const)
      expect(stepFor({ ...canceled, status }, unanswered)).toEqual(step);
  });

  it.each<[string, Partial<Call>, EndReport]>([
    ['a phone rang', { status: 'ringing' }, unanswered],
    ['a person answered', {}, report('canceled')],
    ['the platform was not requested to end it', { cancel_asked_at: undefined }, unanswered],
    ['it ended for another reason', {}, { ...unanswered, outcome: 'no_answer' }],
  ])('ends the call if %s', (_name, change, message) => {
    expect(stepFor({ ...canceled, ...change }, message)).toMatchObject({ kind: 'end' });
  });
});

describe('the report of a call that a person has stopped', () => {
  const stopped = aClaimedCall({ platform_id: ID, stop_asked_at: '2026-03-02T06:01:00.000Z' });
  const unanswered = ({ started_at: _, ...report }: EndReport) => report;

  it.each([{}, { cancel_asked_at: '2026-03-02T06:15:00.000Z' }])(
    'cancels the call if no phone rang, so that it is not dialed again, even after %j',
    (change) => {
      for (const status of ['queued', 'dialing'] as const)
        for (const message of [report('not_dialed'), unanswered(report('canceled'))]) {
          const ending = { status: 'canceled', ended_reason: message.reason, ended_at: message.ended_at };
          expect(stepFor({ ...stopped, ...change, status }, message)).toMatchObject({ kind: 'end', ending });
        }
    },
  );

  it.each<[string, Partial<Call>, EndReport, object]>([
    ['ends the call as failed if a phone rang', { status: 'ringing' }, report('not_dialed'), { status: 'failed' }],
    ['charges the call if a person answered', {}, report('canceled'), { status: 'canceled', duration: 65 }],
    ['keeps another end', {}, unanswered(report('no_answer')), { status: 'no_answer' }],
  ])('%s', (_name, change, message, ending) => {
    expect(stepFor({ ...stopped, ...change }, message)).toMatchObject({ kind: 'end', ending });
  });

  it('gives the call back if no person stopped it', () => {
    expect(stepFor({ ...stopped, stop_asked_at: undefined }, report('not_dialed'))).toMatchObject({
      kind: 'give_back',
    });
  });
});

describe('a live call at the platform that the service has ended', () => {
  const ended = (ended_reason: string) =>
    aClaimedCall({ status: 'failed', unfinished: 'ended', ended_reason, platform_id: ID });

  it.each(['lost', 'ended_by_operator', 'platform_unreachable'])('is hung up if its end was %s', (reason) => {
    expect(stepFor(ended(reason), progress('in_progress'))).toEqual({ kind: 'hang_up' });
    for (const over of [hungUp(), report('completed')])
      expect(stepFor(ended(reason), over)).toEqual({ kind: 'nothing', why: 'ended' });
  });

  it('is hung up if its dial had been given back as absent, whatever its end was', () => {
    const { platform_id: _, ...absent } = ended('expired');
    expect(stepFor(absent, progress('in_progress'))).toEqual({ kind: 'hang_up' });
    expect(stepFor(absent, report('completed'))).toEqual({ kind: 'nothing', why: 'ended' });
  });

  it('is not hung up if the platform itself reported the end, because the message is only late', () => {
    const late = { kind: 'nothing', why: 'ended' };
    expect(stepFor(ended('customer-ended-call'), progress('in_progress'))).toEqual(late);
  });
});

describe('a double dial', () => {
  it('causes a warning at every message of the second live call, and leaves the first unchanged', () => {
    const statuses = fc.constantFrom(...callStatuses.filter((status) => status !== 'scheduled' && status !== 'queued'));
    const messages = fc.constantFrom(
      ...openMessages,
      ...dialed.map((outcome) => report(outcome)),
      report('not_dialed'),
    );
    forAll([statuses, messages], (status, message) => {
      const call = aClaimedCall({ status, platform_id: 'platform-2' });
      expect(stepFor(call, message)).toEqual({ kind: 'warn_of_double_dial', isLive: message.kind === 'progress' });
      expect(apply(call, message)).toBe(call);
    });
  });
});

describe('the duration', () => {
  const durationOf = (started_at: string | undefined, ended_at: string) => {
    const { started_at: _omitted, ...bare } = report('completed');
    const step = stepFor(aClaimedCall(), { ...bare, ...(started_at && { started_at }), ended_at });
    return step.kind === 'end' ? step.ending.duration : undefined;
  };

  it('counts every started second of the connection', () => {
    const start = Date.parse('2026-03-02T06:01:00.000Z');
    forAll([fc.integer({ min: 0, max: 10_000_000 })], (ms) => {
      const duration = durationOf(new Date(start).toISOString(), new Date(start + ms).toISOString());
      expect(duration).toBeGreaterThanOrEqual(ms / 1000);
      expect(duration).toBeLessThan(ms / 1000 + 1);
      expect(Number.isInteger(duration)).toBe(true);
    });
  });

  it('is 0 for a call that never connected, and for clocks that run backwards', () => {
    expect(durationOf(undefined, '2026-03-02T06:02:00.000Z')).toBe(0);
    expect(durationOf('2026-03-02T06:02:00.001Z', '2026-03-02T06:02:00.000Z')).toBe(0);
  });

  it('is reported without a start if the call never connected', () => {
    const { started_at, ...bare } = report('no_answer');
    const ending = { status: 'no_answer', ended_reason: bare.reason, ended_at: bare.ended_at, duration: 0 };
    expect(stepFor(aClaimedCall(), bare)).toStrictEqual({ kind: 'end', ending });
  });
});
