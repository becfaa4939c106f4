import { randomBytes } from 'node:crypto';
import type { CreateCall } from './create-call.ts';
import { HttpProblem } from './http.ts';
import { lifeOf, startCall } from './life.ts';
import type { DialedScript, Script } from './scripts.ts';
import type { HeldCall, ReceivedRequest, Simulator } from './state.ts';
import { newCall } from './vendor-call.ts';

/** What the caller gets: the call, or nothing (`none`: no answer ever; `dropped`: the connection breaks). */
export type Placed = { answer: 201; body: unknown } | { answer: 'none' | 'dropped' };

const slotReason = 'call.start.error-subscription-concurrency-limit-reached';

/** A valid POST /call: does what the number's script says. Refusals are thrown as HttpProblem. */
export function placeCall(simulator: Simulator, request: CreateCall): Placed {
  const { state } = simulator;
  const number = request.customer?.number ?? '';
  const script = state.nextScript(number);
  const received: ReceivedRequest = {
    at: state.now(),
    number,
    behaviour: script.behaviour,
    answer: 201,
    body: request,
  };
  state.requests.push(received);
  try {
    const placed = follow(simulator, request, number, script, received);
    received.answer = placed.answer;
    return placed;
  } catch (error) {
    if (error instanceof HttpProblem) received.answer = error.status;
    throw error;
  }
}

function follow(
  simulator: Simulator,
  request: CreateCall,
  number: string,
  script: Script,
  received: ReceivedRequest,
): Placed {
  const { state } = simulator;
  if (!dials(script)) {
    state.useScript(number);
    return refuse(script);
  }
  const full = state.liveCount() >= state.settings.slots && lifeOf(script) !== 'not-started';
  // The phone's turn in its script is not used up by a call that never got to it.
  if (full && state.settings.whenFull === 'refuse') throw new HttpProblem(429, 'Over Concurrency Limit');
  if (!full) state.useScript(number);
  const held = accept(
    simulator,
    request,
    number,
    full ? { behaviour: 'not-started', endedReason: slotReason } : script,
  );
  received.callId = held.call.id;
  if (full) return created(simulator, held, true);
  switch (script.behaviour) {
    case 'server-error-after-dialing':
      throw new HttpProblem(script.status ?? 500, 'Internal server error');
    case 'hang':
      return { answer: 'none' };
    case 'drop-after-accepting':
      return { answer: 'dropped' };
    default:
      return created(simulator, held, false);
  }
}

function dials(script: Script): script is DialedScript {
  if (script.behaviour === 'hang') return script.dials !== false;
  return !['refuse', 'unauthorized', 'rate-limited', 'server-error'].includes(script.behaviour);
}

function refuse(script: Script): Placed {
  switch (script.behaviour) {
    case 'refuse':
      throw new HttpProblem(script.status ?? 400, script.message ?? 'The call was refused.');
    case 'unauthorized':
      throw new HttpProblem(script.status ?? 401, script.message ?? unauthorizedWords[script.status ?? 401] ?? '');
    case 'rate-limited': {
      const after = script.retryAfterSeconds;
      throw new HttpProblem(429, 'Rate limit exceeded', after === undefined ? {} : { 'retry-after': String(after) });
    }
    case 'server-error':
      throw new HttpProblem(script.status ?? 500, 'Internal server error');
    default:
      return { answer: 'none' };
  }
}

const unauthorizedWords: Record<number, string> = {
  401: 'Invalid Key. Hot tip, you may be using the private key instead of the public key, or vice versa.',
  402: 'Wallet balance is too low. Purchase more credits or upgrade your plan.',
  403: 'Key doesn’t allow this.',
};

function accept(simulator: Simulator, request: CreateCall, number: string, script: DialedScript): HeldCall {
  const { state } = simulator;
  const controlToken = randomBytes(16).toString('hex');
  // The answer is about to be lost: the phone rings before that, so that losing it cannot undo the ring.
  const answerLost = ['server-error-after-dialing', 'hang', 'drop-after-accepting'].includes(script.behaviour);
  const held: HeldCall = {
    call: newCall(request, state.orgId, state.now(), simulator.url, controlToken),
    request,
    number,
    attempt: state.calls.filter((other) => other.number === number).length + 1,
    script: answerLost ? { queueSeconds: 0, ...script } : script,
    controlToken,
    rang: false,
    live: lifeOf(script) !== 'not-started',
    deleted: false,
    createdAtMs: state.clock(),
    messages: [],
    hangUp: new AbortController(),
    gone: new AbortController(),
  };
  state.add(held);
  // Answered before it rings: what the vendor answers is a queued call.
  if (answerLost) startCall(simulator, held);
  else setImmediate(() => startCall(simulator, held));
  return held;
}

function created({ state }: Simulator, { call }: HeldCall, concurrencyBlocked: boolean): Placed {
  const subscriptionLimits = {
    concurrencyBlocked,
    concurrencyLimit: state.settings.slots,
    remainingConcurrentCalls: Math.max(0, state.settings.slots - state.liveCount()),
  };
  return { answer: 201, body: { ...structuredClone(call), subscriptionLimits } };
}
