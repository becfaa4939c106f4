import { offTimesAfter, wasOffAt } from '../../../../shared/domain/connections/off-times.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aConnection } from '../../support/worlds/items.ts';

const HOUR = 3_600;
const NOW = new Date('2026-03-02T06:30:00.000Z');
const at = (seconds: number) => secondsAfter(NOW, seconds);
const on = aConnection({ auto_call: true, updated_at: at(-HOUR) });
const off = { ...on, auto_call: false };

describe('the times in which auto-call was off', () => {
  it('begin and end with a switch', () => {
    expect(offTimesAfter(on, false, NOW)).toEqual([{ from: at(0) }]);
    expect(offTimesAfter({ ...off, off_times: [{ from: at(-60) }] }, true, NOW)).toEqual([
      { from: at(-60), to: at(0) },
    ]);
  });

  it.each([on, off])('stay as they are without a switch', (connection) => {
    expect(offTimesAfter(connection, connection.auto_call, NOW)).toBeUndefined();
  });

  it('are remembered while their changes may be caught up on, but at most 50 of them', () => {
    const old = { from: at(-72 * HOUR), to: at(-48 * HOUR) };
    const recent = { from: at(-72 * HOUR), to: at(-48 * HOUR + 1) };
    expect(offTimesAfter({ ...on, off_times: [old, recent] }, false, NOW)).toEqual([recent, { from: at(0) }]);
    const many = Array.from({ length: 60 }, () => recent);
    expect(offTimesAfter({ ...on, off_times: many }, false, NOW)).toHaveLength(50);
  });

  it('begin with the last change by a person if a former version switched it off', () => {
    expect(offTimesAfter(off, true, NOW)).toEqual([{ from: at(-HOUR), to: at(0) }]);
    const { updated_at: _, ...never } = off;
    expect(offTimesAfter(never, true, NOW)).toEqual([{ from: off.created_at, to: at(0) }]);
  });

  it('do not include one that a former version has ended without recording it', () => {
    expect(offTimesAfter({ ...on, off_times: [{ from: at(-HOUR) }] }, false, NOW)).toEqual([{ from: at(0) }]);
  });

  it.each([
    [-HOUR + 60, false],
    [-HOUR + 61, true],
    [-61, true],
    [-60, false],
  ])('include a change after %d seconds by a clock with a tolerance of a minute: %s', (seconds, isIncluded) => {
    const times = { off_times: [{ from: at(-HOUR), to: at(0) }] };
    expect(wasOffAt(times, at(seconds), 60)).toBe(isIncluded);
  });

  it.each([
    [-HOUR, false],
    [-HOUR + 1, true],
    [-1, true],
    [0, false],
  ])("include the receipt of an event after %d seconds by the service's clock: %s", (seconds, isIncluded) => {
    expect(wasOffAt({ off_times: [{ from: at(-HOUR), to: at(0) }] }, at(seconds), 0)).toBe(isIncluded);
  });

  it.each([[{ from: at(-HOUR) }], []])(
    'do not include a change while auto-call is off or was never off',
    (...times) => {
      expect(wasOffAt({ off_times: times }, at(-600), 0)).toBe(false);
      expect(wasOffAt({}, at(-600), 0)).toBe(false);
    },
  );
});
