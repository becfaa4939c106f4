import { demandedWait } from '../../time/demanded-wait.ts';
import { secondsAfter, secondsBetween } from '../../time/instants.ts';
import { backoffSeconds } from '../dialing/dial-timing.ts';

/**
 * The gate before the voice platform: open, closed until an instant, or half-open, when one probe may dial
 * (docs/call-lifecycle.md, "The gate"). Instants are ISO 8601.
 */
export type PlatformGate = {
  /** Present until a probe succeeds. */
  closed_until?: string | undefined;
  /** How many times in a row the gate was closed. Kept after it opens again. */
  closings?: number | undefined;
  /** When a probe opened the gate; undefined if it is closed or was never closed. */
  opened_at?: string | undefined;
  /** The end of the probe's lease. */
  probe_until?: string | undefined;
  /** Dials and failed dials since the gate was opened. */
  dials?: number | undefined;
  failures?: number | undefined;
  /** The first failure of the current window, and the counts before it. */
  window_at?: string | undefined;
  window_dials?: number | undefined;
  window_failures?: number | undefined;
};

/** The right to pass a gate, of the stage or of a calling number. `until`: the end of the probe's lease. */
export type GatePass = { kind: 'open' } | { kind: 'probe'; until: string };

/** Longer than a worker runs, so that a second probe never dials beside the first. */
export const PROBE_SECONDS = 60;

export const gateStateOf = (gate: PlatformGate, now: Date): 'open' | 'closed' | 'half-open' => {
  const { closed_until, probe_until = '' } = gate;
  const at = now.toISOString();
  if (closed_until === undefined) return 'open';
  return closed_until > at || probe_until > at ? 'closed' : 'half-open';
};

/** Returns until when a closed gate stays closed, ISO 8601; undefined if it is not closed. */
export function closedUntil(gate: PlatformGate, now: Date): string | undefined {
  if (gateStateOf(gate, now) !== 'closed') return undefined;
  const { closed_until = '', probe_until = '' } = gate;
  return closed_until > probe_until ? closed_until : probe_until;
}

/** Returns how many calls the gate lets through now. */
export const mostDials = (gate: PlatformGate, now: Date): number =>
  ({ open: Number.POSITIVE_INFINITY, closed: 0, 'half-open': 1 })[gateStateOf(gate, now)];

/** The outcome of a dial request, reduced to what it says about the platform. */
type Outcome =
  | { kind: 'accepted'; isQueued?: boolean }
  | { kind: 'refused' | 'unknown' }
  | { kind: 'not_dialed'; limit?: 'account' | 'number' | 'destination'; retryAfterSeconds?: number };

/**
 * The effect of an outcome on all other calls. `refuses`: the account may not dial now. `answers`: the platform works,
 * but its refusal of one call, calling number or destination does not say whether the account may dial. `isReported`:
 * the platform accepted the dial and refuses it in its end report.
 */
export type PlatformSignal =
  | { kind: 'works' }
  | { kind: 'answers' }
  | { kind: 'fails' }
  | { kind: 'refuses'; retryAfterSeconds?: number; isReported?: true };

export function signalOf(outcome: Outcome): PlatformSignal {
  switch (outcome.kind) {
    case 'accepted':
      return { kind: outcome.isQueued ? 'refuses' : 'works' };
    case 'refused':
      return { kind: 'answers' };
    case 'unknown':
      return { kind: 'fails' };
    case 'not_dialed': {
      const { limit, retryAfterSeconds } = outcome;
      if (limit === undefined) return { kind: 'fails' };
      if (limit !== 'account') return { kind: 'answers' };
      return { kind: 'refuses', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    }
  }
}

/**
 * Returns the effect of an outcome on other calls from the same calling number. @returns undefined for no effect: a
 * number may have reached its limit even if the platform refuses the call for another reason
 */
export function numberSignalOf(outcome: Outcome): Exclude<PlatformSignal, { kind: 'answers' | 'fails' }> | undefined {
  if (outcome.kind === 'accepted') return outcome.isQueued ? undefined : { kind: 'works' };
  if (outcome.kind !== 'not_dialed' || outcome.limit !== 'number') return undefined;
  const { retryAfterSeconds } = outcome;
  return { kind: 'refuses', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

const WINDOW_SECONDS = 120;
const MIN_DIALS = 5;
const MAX_FAILURES_SHARE = 0.5;

/** Decides the effect of a failed dial on the gate. @param gate after the failure was counted */
export function afterFailure(gate: PlatformGate, now: Date): 'begin_window' | 'close' | 'nothing' {
  const { window_at, window_dials = 0, window_failures = 0, dials = 0, failures = 0 } = gate;
  if (gate.closed_until !== undefined) return 'nothing';
  if (window_at === undefined || secondsBetween(window_at, now) >= WINDOW_SECONDS) return 'begin_window';
  const inWindow = dials - window_dials;
  const isFailing = inWindow >= MIN_DIALS && failures - window_failures >= inWindow * MAX_FAILURES_SHARE;
  return isFailing ? 'close' : 'nothing';
}

/**
 * The number of closings in a row from which a refusal raises an alarm. With the usual back-off, the gate has then been
 * closed for about half a minute.
 */
const LASTING_CLOSINGS = 3;

/** After this time, a report of a refusal says nothing about the probe that opened the gate. */
const PROBE_REPORT_SECONDS = 120;

/**
 * Decides whether a closing continues the series of closings. A successful probe ends the series, unless a report soon
 * reveals that the platform accepts dials and refuses them later.
 */
const isConsecutive = ({ opened_at }: PlatformGate, signal: PlatformSignal, now: Date): boolean =>
  opened_at === undefined ||
  (signal.kind === 'refuses' && signal.isReported === true && secondsBetween(opened_at, now) < PROBE_REPORT_SECONDS);

export type Closing = { closed_until: string; closings: number; seconds: number; isAlarming: boolean };

/**
 * Computes how long the gate is closed: as long as the platform says, or with back-off.
 * @param random from 0 to 1.
 */
export function closingOf(gate: PlatformGate, signal: PlatformSignal, now: Date, random: number): Closing {
  const closings = (isConsecutive(gate, signal, now) ? (gate.closings ?? 0) : 0) + 1;
  const wanted = signal.kind === 'refuses' ? signal.retryAfterSeconds : undefined;
  const seconds = wanted === undefined ? backoffSeconds(closings, random) : demandedWait(Math.max(1, wanted));
  return {
    closed_until: secondsAfter(now, seconds),
    closings,
    seconds,
    isAlarming: signal.kind === 'fails' || closings >= LASTING_CLOSINGS,
  };
}
