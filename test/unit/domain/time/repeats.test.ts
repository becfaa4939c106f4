import fc from 'fast-check';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { isRepeatDue } from '../../../../shared/domain/time/repeats.ts';
import { forAll } from '../../../support/values/for-all.ts';

const START = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => new Date(secondsAfter(START, seconds));

describe('a message that has no effect', () => {
  it.each<[string, sent: number | undefined, seconds: number]>([
    ['the least wait after it was due, if no message is known', undefined, 60],
    ['the least wait after it was due, if the message was sent before', -500, 60],
    ['the least wait after its message, if the message was sent soon after it was due', 20, 80],
    ['after its message, as long as the message was sent after it was due', 500, 1_000],
  ])('is repeated %s, not a millisecond earlier', (_when, sent, seconds) => {
    const sentAt = sent === undefined ? undefined : secondsAfter(START, sent);
    expect(isRepeatDue(START, sentAt, at(seconds), 60)).toBe(true);
    expect(isRepeatDue(START, sentAt, at(seconds - 0.001), 60)).toBe(false);
  });

  it('is repeated at the latest when the longest wait has passed since its message', () => {
    const isDue = (seconds: number) => isRepeatDue(START, secondsAfter(START, 500), at(seconds), 60, 100);
    expect([isDue(599.999), isDue(600)]).toEqual([false, true]);
  });

  it('has few copies, however long it waits in its queue', () => {
    forAll([fc.integer({ min: 30, max: 600 }), fc.integer({ min: 10, max: 300 })], (every, least) => {
      const sent: number[] = [];
      for (let now = every; now <= 100 * least; now += every) {
        const last = sent.at(-1);
        if (isRepeatDue(START, last === undefined ? undefined : secondsAfter(START, last), at(now), least))
          sent.push(now);
      }
      expect(sent[0] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(least);
      for (const [index, now] of sent.entries())
        if (index > 0) expect(now).toBeGreaterThanOrEqual(2 * (sent[index - 1] ?? 0));
      expect(sent.length).toBeGreaterThanOrEqual(every <= least ? 4 : 0);
    });
  });
});
