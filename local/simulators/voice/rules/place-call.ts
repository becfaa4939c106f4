import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../../kit/answer.ts';
import type { CreateCall } from '../create-call.ts';
import type { HeldCall, ReceivedRequest } from '../model.ts';
import type { DialedScript, Script } from '../scripts.ts';
import type { VoiceState } from '../state.ts';
import { behaviourOf, startCall } from './call-run.ts';
import { newCall } from './calls.ts';
import { problem } from './problems.ts';

/**
 * The answer to the client: the call, none, or a broken connection. `wait` delays the answer; `start` starts the call
 * after it.
 */
export type Placed =
  | { answer: 201; body: unknown; wait: () => Promise<void>; start: () => void }
  | { answer: 'none' | 'dropped' };

const slotReason = 'call.start.error-subscription-concurrency-limit-reached';

/** Serves a valid POST /call by the number's script. @throws Problem if the script refuses it */
export function placeCall(state: VoiceState, request: CreateCall): Placed {
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
    const placed = follow(state, request, number, script, received);
    received.answer = placed.answer;
    return placed;
  } catch (error) {
    if (error instanceof Problem) received.answer = error.answer.status;
    throw error;
  }
}

function follow(
  state: VoiceState,
  request: CreateCall,
  number: string,
  script: Script,
  received: ReceivedRequest,
): Placed {
  if (!dials(script)) {
    state.useScript(number);
    return refuse(script);
  }
  const full = state.liveCount() >= state.settings.slots && behaviourOf(script) !== 'not-started';
  // A call that is refused for lack of slots does not use up its script.
  if (full && state.settings.whenFull === 'refuse') throw problem(429, 'Over Concurrency Limit');
  if (!full) state.useScript(number);
  const held = accept(state, request, number, full ? { behaviour: 'not-started', endedReason: slotReason } : script);
  received.callId = held.call.id;
  if (full) return created(state, held, true);
  switch (script.behaviour) {
    case 'server-error-after-dialing':
      throw problem(script.status ?? 500, 'Internal server error');
    case 'hang':
      return { answer: 'none' };
    case 'drop-after-accepting':
      return { answer: 'dropped' };
    default:
      return created(state, held, false);
  }
}

function dials(script: Script): script is DialedScript {
  if (script.behaviour === 'hang') return script.dials !== false;
  return !['refuse', 'unauthorized', 'rate-limited', 'server-error'].includes(script.behaviour);
}

function refuse(script: Script): Placed {
  switch (script.behaviour) {
    case 'refuse':
      throw problem(script.status ?? 400, script.message ?? 'The call was refused.');
    case 'unauthorized':
      throw problem(script.status ?? 401, script.message ?? unauthorizedMessages[script.status ?? 401] ?? '');
    case 'rate-limited': {
      const after = script.retryAfterSeconds;
      throw problem(429, 'Rate limit exceeded', after === undefined ? {} : { 'retry-after': String(after) });
    }
    case 'server-error':
      throw problem(script.status ?? 500, 'Internal server error');
    default:
      return { answer: 'none' };
  }
}

const unauthorizedMessages: Record<number, string> = {
  401: 'Invalid Key. Hot tip, you may be using the private key instead of the public key, or vice versa.',
  402: 'Wallet balance is too low. Purchase more credits or upgrade your plan.',
  403: 'Key doesn’t allow this.',
};

function accept(state: VoiceState, request: CreateCall, number: string, script: DialedScript): HeldCall {
  const controlToken = randomBytes(16).toString('hex');
  // These behaviours lose the answer after the phone has rung, so their calls start at once.
  const isAnswerLost = ['server-error-after-dialing', 'hang', 'drop-after-accepting'].includes(script.behaviour);
  const held: HeldCall = {
    call: newCall(request, state.orgId, state.now(), state.url, controlToken),
    request,
    number,
    attempt: state.calls.filter((other) => other.number === number).length + 1,
    script: isAnswerLost ? { queueSeconds: 0, ...script } : script,
    controlToken,
    rang: false,
    live: behaviourOf(script) !== 'not-started',
    deleted: false,
    deletions: 0,
    createdAtMs: state.clock(),
    messages: [],
    hangUp: new AbortController(),
    resetController: new AbortController(),
  };
  state.add(held);
  if (isAnswerLost) startCall(state, held);
  return held;
}

/** The vendor answers with a queued call, so the call starts after the answer. */
function created(state: VoiceState, held: HeldCall, concurrencyBlocked: boolean): Placed {
  const subscriptionLimits = {
    concurrencyBlocked,
    concurrencyLimit: state.settings.slots,
    remainingConcurrentCalls: Math.max(0, state.settings.slots - state.liveCount()),
  };
  const body = { ...structuredClone(held.call), subscriptionLimits };
  const waitMs = 1_000 * (held.script.answerSeconds ?? 0);
  return {
    answer: 201,
    body,
    wait: () => sleep(waitMs, undefined, { signal: held.resetController.signal }),
    start: () => startCall(state, held),
  };
}
