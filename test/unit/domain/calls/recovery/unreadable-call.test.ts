import { isSurelyLost, type ReadableDeadline } from '../../../../../shared/domain/calls/recovery/unreadable-call.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';

const start = '2026-03-02T06:00:00.000Z';
const at = (seconds: number) => secondsAfter(start, seconds);
const HOUR = 3_600;

const whole: ReadableDeadline = {
  dial_claimed_at: start,
  progress_at: at(100),
  max_duration_seconds: 600,
  dial_by: at(900),
};

const queued = { queued_at_platform: start };

describe('a dialed call that cannot be read', () => {
  it.each<[string, Partial<ReadableDeadline>, number]>([
    ['by its claim', {}, 600 + HOUR],
    ['by its progress, without a claim', { dial_claimed_at: undefined }, 100 + 600 + HOUR],
    ['by its claim, without a progress', { progress_at: undefined }, 600 + HOUR],
    ['by its dial_by, without both', { dial_claimed_at: undefined, progress_at: undefined }, 900 + 600 + HOUR],
    ['by the longest duration of any call', { max_duration_seconds: undefined }, HOUR + HOUR],
    [
      'an hour after its dial_by, if the platform had it queued',
      { ...queued, progress_at: start, dial_by: at(2_000) },
      2_000 + HOUR,
    ],
    ['by its ring, if that is later', { ...queued, progress_at: at(800), dial_by: at(900) }, 800 + 600 + HOUR],
    ['by its dial_by, if its ring cannot be read', { ...queued, progress_at: undefined }, 900 + 600 + HOUR],
  ])('has a deadline: %s', (_how, over, seconds) => {
    const call = { ...whole, ...over };
    expect([seconds - 1, seconds].map((passed) => isSurelyLost(call, new Date(at(passed))))).toEqual([false, true]);
  });
});
