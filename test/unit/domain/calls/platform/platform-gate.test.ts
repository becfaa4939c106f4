import {
  afterFailure,
  closedUntil,
  closingOf,
  gateStateOf,
  mostDials,
  numberSignalOf,
  type PlatformGate,
  signalOf,
} from '../../../../../shared/domain/calls/platform/platform-gate.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';

const start = '2026-03-02T06:00:00.000Z';
const now = new Date(start);
const later = secondsAfter(start, 0.001);

describe('the gate', () => {
  it.each<[PlatformGate, ReturnType<typeof gateStateOf>, number]>([
    [{}, 'open', Number.POSITIVE_INFINITY],
    [{ closed_until: later }, 'closed', 0],
    [{ closed_until: start }, 'half-open', 1],
    [{ closed_until: start, probe_until: later }, 'closed', 0],
    [{ closed_until: start, probe_until: start }, 'half-open', 1],
  ])('%j is %s', (gate, state, most) => {
    expect(gateStateOf(gate, now)).toBe(state);
    expect(mostDials(gate, now)).toBe(most);
  });

  it.each<[Parameters<typeof signalOf>[0], object]>([
    [{ kind: 'accepted' }, { kind: 'works' }],
    [{ kind: 'accepted', isQueued: true }, { kind: 'refuses' }],
    [{ kind: 'refused' }, { kind: 'answers' }],
    [{ kind: 'unknown' }, { kind: 'fails' }],
    [{ kind: 'not_dialed' }, { kind: 'fails' }],
    [{ kind: 'not_dialed', limit: 'number', retryAfterSeconds: 7 }, { kind: 'answers' }],
    [{ kind: 'not_dialed', limit: 'destination' }, { kind: 'answers' }],
    [{ kind: 'not_dialed', limit: 'account' }, { kind: 'refuses' }],
    [
      { kind: 'not_dialed', limit: 'account', retryAfterSeconds: 7 },
      { kind: 'refuses', retryAfterSeconds: 7 },
    ],
  ])('counts the outcome %j as %j', (outcome, signal) => {
    expect(signalOf(outcome)).toStrictEqual(signal);
  });

  it.each<[Parameters<typeof numberSignalOf>[0], object | undefined]>([
    [{ kind: 'accepted' }, { kind: 'works' }],
    [{ kind: 'accepted', isQueued: true }, undefined],
    [{ kind: 'refused' }, undefined],
    [{ kind: 'unknown' }, undefined],
    [{ kind: 'not_dialed' }, undefined],
    [{ kind: 'not_dialed', limit: 'account', retryAfterSeconds: 7 }, undefined],
    [{ kind: 'not_dialed', limit: 'number' }, { kind: 'refuses' }],
    [
      { kind: 'not_dialed', limit: 'number', retryAfterSeconds: 7 },
      { kind: 'refuses', retryAfterSeconds: 7 },
    ],
  ])('of a calling number counts the outcome %j as %j', (outcome, signal) => {
    expect(numberSignalOf(outcome)).toEqual(signal);
  });

  it.each<[PlatformGate, string | undefined]>([
    [{}, undefined],
    [{ closed_until: start }, undefined],
    [{ closed_until: later }, later],
    [{ closed_until: start, probe_until: later }, later],
  ])('%j is closed until %s', (gate, until) => {
    expect(closedUntil(gate, now)).toBe(until);
  });

  /** Dials and failures before the window, and after its latest failure. */
  const counts = (dials: number, failures: number, over: PlatformGate = {}): PlatformGate => ({
    dials: 100 + dials,
    failures: 40 + failures,
    window_at: secondsAfter(start, -119),
    window_dials: 100,
    window_failures: 40,
    ...over,
  });

  it.each<[string, PlatformGate, ReturnType<typeof afterFailure>]>([
    ['begins a window at the first failure', { dials: 1, failures: 1 }, 'begin_window'],
    ['begins a window after the last one', counts(9, 9, { window_at: secondsAfter(start, -120) }), 'begin_window'],
    ['is closed at five dials', counts(5, 3), 'close'],
    ['is closed at half of the dials', counts(10, 5), 'close'],
    ['stays open below half of the dials', counts(11, 5), 'nothing'],
    ['stays open at four dials', counts(4, 4), 'nothing'],
    ['is not closed twice', counts(9, 9, { closed_until: start }), 'nothing'],
  ])('%s', (_name, gate, step) => {
    expect(afterFailure(gate, now)).toBe(step);
  });

  it.each<[number | undefined, Parameters<typeof closingOf>[1], seconds: number, isAlarming: boolean]>([
    [undefined, { kind: 'refuses' }, 15, false],
    [1, { kind: 'refuses' }, 30, false],
    [2, { kind: 'refuses' }, 60, true],
    [9, { kind: 'refuses' }, 120, true],
    [undefined, { kind: 'fails' }, 15, true],
    [undefined, { kind: 'refuses', retryAfterSeconds: 0 }, 1, false],
    [5, { kind: 'refuses', retryAfterSeconds: 300 }, 300, true],
    [undefined, { kind: 'refuses', retryAfterSeconds: 10_000 }, 900, false],
  ])(
    'after %s closings in a row and the signal %j closes for %s s, with an alarm: %s',
    (closings, signal, seconds, isAlarming) => {
      expect(closingOf({ closings }, signal, now, 0)).toEqual({
        closed_until: secondsAfter(start, seconds),
        closings: (closings ?? 0) + 1,
        seconds,
        isAlarming,
      });
    },
  );

  it.each<[string, Parameters<typeof closingOf>[1], openSeconds: number, closings: number]>([
    ['for the third time in a row by a report soon after it opened', { kind: 'refuses', isReported: true }, 119, 3],
    ['for the first time in a row by a later report', { kind: 'refuses', isReported: true }, 120, 1],
    ['for the first time in a row by the answer to a dial', { kind: 'refuses' }, 1, 1],
    ['for the first time in a row by failures', { kind: 'fails' }, 1, 1],
  ])('that was closed twice and opened by a probe is closed %s', (_by, signal, openSeconds, closings) => {
    const gate = { closings: 2, opened_at: secondsAfter(start, -openSeconds) };
    expect(closingOf(gate, signal, now, 0)).toMatchObject({ closings });
  });
});
