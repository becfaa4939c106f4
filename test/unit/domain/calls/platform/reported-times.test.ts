import type { PlatformMessage } from '../../../../../shared/domain/calls/platform/platform-message.ts';
import { withCredibleTimes } from '../../../../../shared/domain/calls/platform/reported-times.ts';

const call = {
  created_at: '2026-03-02T05:00:00.000Z',
  dial_claimed_at: '2026-03-02T06:00:00.000Z',
  max_duration_seconds: 600,
};
const now = new Date('2026-03-02T06:10:00.000Z');
const started = '2026-03-02T06:01:00.000Z';
const ended = '2026-03-02T06:02:30.000Z';
const hungUp = '2026-03-02T06:02:31.000Z';
const answered = '2026-03-02T06:01:05.000Z';
/** The empty time of some languages, an epoch in seconds that is read as milliseconds, and a distant future. */
const absurd = ['0001-01-01T00:00:00.000Z', '1970-01-21T12:41:00.000Z', '+275760-09-13T00:00:00.000Z'];
/** The edges of an hour before the dial claim and after the present. */
const edges = ['2026-03-02T05:00:00.000Z', '2026-03-02T07:10:00.000Z'];
const outside = ['2026-03-02T04:59:59.999Z', '2026-03-02T07:10:00.001Z'];

const timesOf = (
  times: { started_at?: string; ended_at: string; reported_at?: string; is_end_estimated?: boolean },
  known: { answered_at?: string; hung_up_at?: string } = {},
) => {
  const report = { kind: 'report', platform_id: 'p1', outcome: 'completed', reason: 'r', ...times } as const;
  const { started_at, ended_at, is_end_estimated } = withCredibleTimes(
    { ...call, ...known },
    report,
    now,
  ) as typeof report & {
    started_at?: string;
    is_end_estimated?: boolean;
  };
  return [started_at, ended_at, is_end_estimated];
};

describe('the times of a report', () => {
  it('stay as they are if they can be true', () => {
    expect(timesOf({ started_at: started, ended_at: ended })).toEqual([started, ended, undefined]);
    expect(timesOf({ ended_at: ended })).toEqual([undefined, ended, undefined]);
    expect(timesOf({ started_at: ended, ended_at: ended })).toEqual([ended, ended, undefined]);
    const [first, last] = edges as [string, string];
    expect(timesOf({ started_at: first, ended_at: last })).toEqual([first, last, undefined]);
  });

  it.each([...absurd, ...outside, 'never'])('end with the hang-up, or now, instead of %s', (ended_at) => {
    expect(timesOf({ ended_at })).toEqual([undefined, now.toISOString(), true]);
    expect(timesOf({ ended_at }, { hung_up_at: hungUp })).toEqual([undefined, hungUp, true]);
    expect(timesOf({ started_at: started, ended_at }, { hung_up_at: hungUp })).toEqual([started, hungUp, true]);
  });

  it('end with the hang-up if the report has no end, unless that cannot be true', () => {
    const times = { started_at: started, ended_at: '2026-03-02T06:02:45.000Z', is_end_estimated: true };
    expect(timesOf(times, { hung_up_at: hungUp })).toEqual([started, hungUp, true]);
    for (const known of [{}, { hung_up_at: '0001-01-01T00:00:00.000Z' }])
      expect(timesOf(times, known)).toEqual([started, times.ended_at, true]);
  });

  it('end with the report if the hang-up is unknown or cannot be true, too', () => {
    const [ended_at = ''] = absurd;
    const reported_at = '2026-03-02T06:02:33.000Z';
    for (const known of [{}, { hung_up_at: ended_at }])
      expect(timesOf({ ended_at, reported_at }, known)).toEqual([undefined, reported_at, true]);
    expect(timesOf({ ended_at, reported_at }, { hung_up_at: hungUp })).toEqual([undefined, hungUp, true]);
    expect(timesOf({ ended_at, reported_at: ended_at })).toEqual([undefined, now.toISOString(), true]);
  });

  it.each([...absurd, ...outside, 'never', hungUp])(
    'begin with the answer, or the end, instead of %s',
    (started_at) => {
      expect(timesOf({ started_at, ended_at: ended })).toEqual([ended, ended, undefined]);
      expect(timesOf({ started_at, ended_at: ended }, { answered_at: answered })).toEqual([answered, ended, undefined]);
      expect(timesOf({ started_at, ended_at: ended }, { answered_at: hungUp })).toEqual([ended, ended, undefined]);
      expect(timesOf({ started_at, ended_at: ended }, { answered_at: ended })).toEqual([ended, ended, undefined]);
    },
  );

  it('keep their difference if both are shifted', () => {
    const ofWrongClock = { started_at: '2016-03-02T06:01:00.000Z', ended_at: '2016-03-02T06:02:30.000Z' };
    expect(timesOf(ofWrongClock, { hung_up_at: hungUp })).toEqual([started.replace('00.000', '01.000'), hungUp, true]);
    // A report of a moment after the dial, whose times are those of an example.
    expect(timesOf(ofWrongClock, { hung_up_at: call.dial_claimed_at })).toEqual([
      '2026-03-02T05:58:30.000Z',
      call.dial_claimed_at,
      true,
    ]);
    const longest = { started_at: '2016-03-02T06:00:00.000Z', ended_at: '2016-03-02T07:10:00.000Z' };
    expect(timesOf(longest, { hung_up_at: hungUp })).toEqual(['2026-03-02T04:52:31.000Z', hungUp, true]);
    const tooLong = { started_at: '2016-03-02T06:00:00.000Z', ended_at: '2016-03-02T07:10:00.001Z' };
    expect(timesOf(tooLong, { hung_up_at: hungUp })).toEqual([hungUp, hungUp, true]);
    const reversed = { started_at: '2016-03-02T06:02:31.000Z', ended_at: '2016-03-02T06:00:00.000Z' };
    expect(timesOf(reversed, { hung_up_at: hungUp, answered_at: answered })).toEqual([answered, hungUp, true]);
  });

  it('keep their difference if only the end of the connection is within an hour of the dial', () => {
    const ended_at = '2026-03-02T05:09:00.000Z';
    const longest = '2026-03-02T04:58:00.000Z';
    expect(timesOf({ started_at: longest, ended_at })).toEqual([longest, ended_at, undefined]);
    expect(timesOf({ started_at: '2026-03-02T04:57:59.999Z', ended_at })).toEqual([ended_at, ended_at, undefined]);
  });

  it('are compared with the placing of a call that has no dial claim', () => {
    const report = { kind: 'report', platform_id: 'p1', outcome: 'completed', reason: 'r' } as const;
    const { dial_claimed_at: _, ...waiting } = call;
    const ofWaiting = (ended_at: string) => withCredibleTimes(waiting, { ...report, ended_at }, now);
    expect(ofWaiting('2026-03-02T04:00:00.000Z')).toMatchObject({ ended_at: '2026-03-02T04:00:00.000Z' });
    expect(ofWaiting('2026-03-02T03:59:59.999Z')).toMatchObject({ ended_at: now.toISOString() });
  });
});

describe('the time of another message', () => {
  const progress: PlatformMessage = { kind: 'progress', platform_id: 'p1', status: 'ringing' };
  const hangUp = { kind: 'hung_up', platform_id: 'p1', reason: 'r' } as const;

  it.each([...absurd, ...outside])('is unknown, or now for a hang-up, instead of %s', (at) => {
    expect(withCredibleTimes(call, { ...progress, at }, now)).toEqual({ ...progress, at: undefined });
    expect(withCredibleTimes(call, { ...hangUp, at }, now)).toEqual({ ...hangUp, at: now.toISOString() });
  });

  it.each([started, ...edges])('stays %s', (at) => {
    expect(withCredibleTimes(call, { ...progress, at }, now)).toEqual({ ...progress, at });
    expect(withCredibleTimes(call, { ...hangUp, at }, now)).toEqual({ ...hangUp, at });
    expect(withCredibleTimes(call, progress, now)).toEqual(progress);
  });
});
