import { describe, expect, it } from '@jest/globals';
import { type SettlingOutcome, settledMark } from '../../../../shared/domain/after-call/write-outcome.ts';

const at = '2026-03-02T06:00:00.000Z';

describe('the mark of a settled write', () => {
  it.each<[SettlingOutcome, object]>([
    [
      { kind: 'written', id: '7' },
      { state: 'written', at, id: '7' },
    ],
    [
      { kind: 'found', id: '7' },
      { state: 'written', at, id: '7' },
    ],
    [{ kind: 'not_wanted' }, { state: 'none', at }],
    [
      { kind: 'impossible', reason: 'no recording' },
      { state: 'failed', at, error: 'no recording' },
    ],
    [
      { kind: 'refused', code: 'INVALID_DATA' },
      { state: 'failed', at, error: 'INVALID_DATA' },
    ],
  ])('stores %j', (outcome, mark) => {
    expect(settledMark(outcome, { at, isInDoubt: false })).toEqual(mark);
  });

  it('is unconfirmed instead of failed while an earlier request may have written the record', () => {
    const outcomes: SettlingOutcome[] = [
      { kind: 'impossible', reason: 'x' },
      { kind: 'refused', code: 'x' },
    ];
    for (const outcome of outcomes)
      expect(settledMark(outcome, { at, isInDoubt: true })).toEqual({ state: 'unconfirmed', at, error: 'x' });
  });
});
