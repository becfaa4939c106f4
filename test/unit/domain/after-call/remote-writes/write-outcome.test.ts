import {
  receiverAnswerIn,
  type SettlingOutcome,
  settledMark,
} from '../../../../../shared/domain/after-call/remote-writes/write-outcome.ts';

const at = '2026-03-02T06:00:00.000Z';
const written = { state: 'written', at, id: '7' };

describe('the mark of a settled write', () => {
  it.each<[SettlingOutcome, object]>([
    [{ kind: 'written', id: '7' }, written],
    [{ kind: 'found', id: '7' }, written],
    [{ kind: 'not_wanted' }, { state: 'none', at }],
  ])('of %j is %j', (outcome, mark) => {
    expect(settledMark(outcome, { at, isInDoubt: false })).toEqual(mark);
  });

  it.each<SettlingOutcome>([
    { kind: 'impossible', reason: 'x' },
    { kind: 'refused', code: 'x' },
  ])('of %j is failed, or unconfirmed if an earlier request may have written the record', (outcome) => {
    expect(settledMark(outcome, { at, isInDoubt: false })).toEqual({ state: 'failed', at, error: 'x' });
    expect(settledMark(outcome, { at, isInDoubt: true })).toEqual({ state: 'unconfirmed', at, error: 'x' });
  });
});

describe('the information about the remote system in an outcome', () => {
  const needed = { kind: 'reconnect_needed', reason: 'x' } as const;
  it.each<[Parameters<typeof receiverAnswerIn>[0], object]>([
    [{ kind: 'written', id: '7' }, { outcome: 'answered' }],
    [{ kind: 'found', id: '7' }, { outcome: 'answered' }],
    [{ kind: 'absent' }, { outcome: 'answered' }],
    [{ kind: 'refused', code: 'x' }, { outcome: 'answered' }],
    [{ kind: 'unknown', reason: 'x' }, { outcome: 'unanswered' }],
    [
      { kind: 'unknown', reason: 'x', retryAfterSeconds: 9 },
      { outcome: 'unanswered', retryAfterSeconds: 9 },
    ],
    [{ kind: 'unavailable', reason: 'x' }, { outcome: 'unanswered' }],
    [{ kind: 'unavailable', reason: 'x', isOurs: true }, { outcome: 'unused' }],
    [{ kind: 'unavailable', reason: 'x', isOfRecord: true }, { outcome: 'answered' }],
    [
      { kind: 'unavailable', reason: 'x', retryAfterSeconds: 9 },
      { outcome: 'unanswered', retryAfterSeconds: 9 },
    ],
    [{ kind: 'not_wanted' }, { outcome: 'unused' }],
    [{ kind: 'impossible', reason: 'x' }, { outcome: 'unused' }],
    [needed, { outcome: 'unused' }],
  ])('of %j is %j', (outcome, answer) => {
    expect(receiverAnswerIn(outcome)).toStrictEqual(answer);
  });
});
