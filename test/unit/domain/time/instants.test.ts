import fc from 'fast-check';
import { secondsAfter, secondsBetween } from '../../../../shared/domain/time/instants.ts';
import { forAll } from '../../../support/values/for-all.ts';

describe('moving an instant', () => {
  it('is undone by measuring', () => {
    const instants = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    forAll([instants, fc.integer({ min: -100_000, max: 100_000 })], (instant, seconds) => {
      expect(secondsBetween(instant, secondsAfter(instant, seconds))).toBe(seconds);
      expect(secondsAfter(instant.toISOString(), seconds)).toBe(secondsAfter(instant, seconds));
    });
  });

  it('yields a single text format, so that instants sort as text', () => {
    expect(secondsAfter('2026-03-02T11:30:00+05:30', 0)).toBe('2026-03-02T06:00:00.000Z');
    expect(secondsAfter('2026-03-02T06:00:00.000Z', -0.5)).toBe('2026-03-02T05:59:59.500Z');
  });
});
