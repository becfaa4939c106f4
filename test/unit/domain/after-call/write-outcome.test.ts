import { type SettlingOutcome, settledMark } from '../../../../shared/domain/after-call/write-outcome.ts';

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
