import {
  afterFailure,
  closingOf,
  type GatePass,
  gateStateOf,
  type PlatformGate,
  type PlatformSignal,
  PROBE_SECONDS,
  signalOf,
} from '../../../domain/calls/platform/platform-gate.ts';
import type { Count } from '../../../domain/metric.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { DialOutcome } from '../../../integrations/voice/voice-platform.ts';
import type { SlotsWork } from '../../../messages/call-work.ts';
import type { PlatformGateStore } from '../../../stores/calls/platform-gate.ts';
import type { QueueSender } from '../../../stores/queue.ts';
import {
  type Caller,
  giveBackNumberPass,
  type NumberGateDeps,
  noteNumberOutcome,
  passNumberGate,
} from './number-gate.ts';

export type CloseGateDeps = {
  gate: Pick<PlatformGateStore, 'read' | 'close'>;
  /** Notifies hand-over-slots. */
  slotsQueue: QueueSender<SlotsWork>;
  now: () => Date;
  random: () => number;
  count: Count;
};

export type PlatformGateDeps = CloseGateDeps &
  NumberGateDeps & {
    gate: PlatformGateStore;
    /** Dials per second of the stage and of each calling number. */
    dialRates: { stage: number; number: number };
    sleep: (ms: number) => Promise<void>;
  };

/** The right to send one dial request. */
export type DialPass = { kind: 'pass'; stage: GatePass; number: GatePass };
/** The call must wait, because the gate of the stage or of its calling number is closed. */
export type NoPass = { kind: 'closed' | 'number_closed' };

/** With 10 workers and one dial per second, no worker waits longer. */
const LONGEST_WAIT_MS = 12_000;

/**
 * Waits for the dial's moment, at the rate that the platform and the calling number allow, and passes the gates before
 * the platform and before the number (docs/call-lifecycle.md, "The gate").
 * @returns `NoPass` if the call has to wait. A message to hand-over-slots is then under way
 */
export async function takeDialPass(deps: PlatformGateDeps, caller: Caller): Promise<DialPass | NoPass> {
  const gate = await deps.gate.read();
  if (gateStateOf(gate, deps.now()) === 'closed') return { kind: 'closed' };
  const before = await passNumberGate(deps, caller);
  if (before.kind === 'number_closed') return before;
  const now = deps.now();
  const moment = await deps.gate.takeMoment(caller.numberId, deps.dialRates, now);
  const wait = Math.min(moment - now.getTime(), LONGEST_WAIT_MS);
  if (wait > 0) await deps.sleep(wait);
  const number = wait > 0 && before.kind === 'open' ? await passNumberGate(deps, caller) : before;
  if (number.kind === 'number_closed') return number;
  const stage = await passGate(deps, wait > 0 ? await deps.gate.read() : gate);
  if (stage.kind !== 'closed') return { kind: 'pass', stage, number };
  await giveBackNumberPass(deps, caller, number);
  return stage;
}

async function passGate(deps: PlatformGateDeps, gate: PlatformGate): Promise<GatePass | { kind: 'closed' }> {
  const now = deps.now();
  const state = gateStateOf(gate, now);
  if (state !== 'half-open') return { kind: state };
  const until = secondsAfter(now, PROBE_SECONDS);
  if (!(await deps.gate.takeProbe(gate, until))) return { kind: 'closed' };
  // If the call is not dialed, or its worker dies, another call becomes the probe.
  await deps.slotsQueue.send({}, PROBE_SECONDS + 1);
  return { kind: 'probe', until };
}

/**
 * Gives back the pass of a call that is not dialed, so that another call can be the probe at once.
 * @param org.isParked whether the caller's organization waits for credit or for its daily spend limit
 */
export async function giveBackDialPass(
  deps: PlatformGateDeps,
  caller: Caller,
  pass: DialPass,
  org: { isParked?: boolean } = {},
): Promise<void> {
  await giveBackNumberPass(deps, caller, pass.number, org);
  await giveBackStagePass(deps, pass.stage);
}

async function giveBackStagePass(deps: PlatformGateDeps, pass: GatePass): Promise<void> {
  if (pass.kind === 'probe' && (await deps.gate.giveBackProbe(pass.until))) await deps.slotsQueue.send({});
}

/**
 * Closes or opens both gates by the outcome of a dial request (docs/call-lifecycle.md, "The gate"). The outcome of a
 * dial that began before a gate was closed does not change it.
 */
export async function noteDialOutcome(
  deps: PlatformGateDeps,
  caller: Caller,
  pass: DialPass,
  outcome: DialOutcome,
): Promise<void> {
  await noteNumberOutcome(deps, caller, pass.number, outcome);
  await noteStageOutcome(deps, pass.stage, outcome);
}

async function noteStageOutcome(deps: PlatformGateDeps, pass: GatePass, outcome: DialOutcome): Promise<void> {
  const signal = signalOf(outcome);
  if (signal.kind === 'answers' && pass.kind === 'probe') return giveBackStagePass(deps, pass);
  if (signal.kind === 'works' || signal.kind === 'answers') {
    if (pass.kind === 'open') await deps.gate.countSuccess();
    else if (await deps.gate.open(pass.until, deps.now().toISOString())) await deps.slotsQueue.send({});
    return;
  }
  if (pass.kind === 'probe') return closeAfterProbe(deps, pass.until, signal);
  if (signal.kind === 'refuses') return closeOpenGate(deps, signal);
  const gate = await deps.gate.countFailure();
  const now = deps.now();
  const next = afterFailure(gate, now);
  if (next === 'begin_window') await deps.gate.beginWindow(gate, now.toISOString());
  if (next === 'close') await close(deps, gate, signal);
}

/** Closes the gate because the platform refuses the account. No-op if the gate is not open. */
export async function closeOpenGate(deps: CloseGateDeps, signal: PlatformSignal): Promise<void> {
  const gate = await deps.gate.read();
  if (gate.closed_until === undefined) await close(deps, gate, signal);
}

async function closeAfterProbe(deps: CloseGateDeps, until: string, signal: PlatformSignal): Promise<void> {
  const gate = await deps.gate.read();
  if (gate.probe_until === until) await close(deps, gate, signal);
}

/** Closes the gate. @param gate as it was read; a no-op if another worker has changed it since */
async function close(deps: CloseGateDeps, gate: PlatformGate, signal: PlatformSignal): Promise<void> {
  const closing = closingOf(gate, signal, deps.now(), deps.random());
  if (!(await deps.gate.close(gate, closing))) return;
  if (closing.isAlarming) deps.count('PlatformGateClosed');
  // Calls that the gate refuses have no message of their own. recover-calls replaces a lost message.
  await deps.slotsQueue.send({}, closing.seconds + 1);
}
