import { setTimeout as sleep } from 'node:timers/promises';
import { defaultServerMessages, type Server } from './create-call.ts';
import { presignedLinks } from './recordings.ts';
import type { Delivery, HeldCall, SentMessage, Simulator } from './state.ts';
import { type Artifact, effectiveAssistant, twilioSecrets } from './vendor-call.ts';

type Queued = { sent: SentMessage; body: Record<string, unknown>; artifact: Artifact };

/**
 * Sends one call's messages to its server: one after the other by first attempt, while retries overtake nothing and
 * hold up nothing. The script can double, disorder or lose them.
 */
export class Outbox {
  private readonly simulator: Simulator;
  private readonly held: HeldCall;
  private readonly server: Server | undefined;
  private readonly wanted: readonly string[];
  private kept: Queued[] = [];
  private previous: Promise<void> = Promise.resolve();

  constructor(simulator: Simulator, held: HeldCall) {
    const assistant = effectiveAssistant(held.request);
    this.simulator = simulator;
    this.held = held;
    this.server = assistant.server;
    this.wanted = assistant.serverMessages ?? defaultServerMessages;
  }

  /** Takes the call as it is now and sends it, unless the assistant did not ask for this type. */
  emit(type: string, details: Record<string, unknown> = {}, artifact: Artifact = {}): void {
    if (!this.server?.url || !this.wanted.includes(type) || this.lost(type, details)) return;
    const { call, request } = this.held;
    const { status, endedReason } = details;
    const body = structuredClone({
      type,
      timestamp: Math.max(this.simulator.state.clock(), call.endedAt ? Date.parse(call.endedAt) : 0),
      ...details,
      call,
      customer: request.customer,
      assistant: effectiveAssistant(request),
      assistantVersion: null,
      phoneNumber: {
        id: request.phoneNumberId,
        orgId: call.orgId,
        provider: 'twilio',
        number: '+12025550123',
        ...twilioSecrets,
      },
    });
    const sent: SentMessage = {
      type,
      ...(typeof status === 'string' && { status }),
      ...(typeof endedReason === 'string' && { endedReason }),
      deliveries: [],
    };
    const queued = { sent, body, artifact: structuredClone(artifact) };
    if (this.held.script.shuffleMessages === undefined || this.held.script.shuffleMessages === false)
      this.enqueue(queued);
    else this.kept.push(queued);
  }

  /** Nothing more will happen to the call: sends what was kept back to be disordered. */
  close(): void {
    const { shuffleMessages } = this.held.script;
    const order = typeof shuffleMessages === 'number' ? shuffled(this.kept, shuffleMessages) : this.kept.reverse();
    this.kept = [];
    for (const queued of order) this.enqueue(queued);
  }

  private lost(type: string, details: Record<string, unknown>): boolean {
    const { dropLast } = this.held.script;
    if (dropLast === undefined) return false;
    if (type === 'end-of-call-report') return true;
    return dropLast === 'ended-and-report' && type === 'status-update' && details.status === 'ended';
  }

  private enqueue(queued: Queued): void {
    const { underWay } = this.simulator.state;
    const copies = this.held.script.duplicateMessages ? [1, 2] : [1];
    for (const _ of copies) underWay.add(queued);
    let open = copies.length;
    const done = () => {
      open -= 1;
      if (open === 0) underWay.delete(queued);
    };
    this.previous = this.previous.then(async () => {
      if (this.held.gone.signal.aborted) return;
      this.held.messages.push(queued.sent);
      await Promise.all(copies.map(() => this.deliver(queued, done)));
    });
  }

  /** Resolves after the first attempt; retries go on behind it. */
  private async deliver(queued: Queued, done: () => void): Promise<void> {
    const first = await this.attempt(queued, 1);
    this.retry(queued, first)
      .catch(() => undefined) // The call is gone.
      .finally(done);
  }

  private async retry(queued: Queued, first: Delivery['answer']): Promise<void> {
    const plan = this.server?.backoffPlan;
    if (!plan) return;
    let answer = first;
    for (let retry = 1; retry <= plan.maxRetries && this.retryable(answer); retry++) {
      const seconds = plan.baseDelaySeconds * (plan.type === 'exponential' ? 2 ** (retry - 1) : 1);
      await sleep((1000 * seconds) / this.simulator.state.settings.speed, undefined, { signal: this.held.gone.signal });
      answer = await this.attempt(queued, retry + 1);
    }
  }

  private retryable(answer: Delivery['answer']): boolean {
    if (typeof answer !== 'number') return true;
    const excluded = this.server?.backoffPlan?.excludedStatusCodes ?? [];
    return (answer < 200 || answer > 299) && !excluded.includes(answer);
  }

  private async attempt({ sent, body, artifact }: Queued, attempt: number): Promise<Delivery['answer']> {
    const links = artifact.recordingUrl ? presignedLinks(this.simulator, this.held) : {};
    const answer = await post(
      this.server ?? {},
      JSON.stringify({ message: { ...body, artifact: { ...artifact, ...links } } }),
      this.held.gone.signal,
    );
    sent.deliveries.push({ at: this.simulator.state.now(), attempt, answer });
    this.simulator.log(`${this.held.call.id} ${sent.type} ${sent.status ?? ''} -> ${answer}`);
    return answer;
  }
}

/** The timeout is real time: the receiver is not sped up. */
async function post(server: Server, body: string, gone: AbortSignal): Promise<Delivery['answer']> {
  const timeout = AbortSignal.timeout(1000 * (server.timeoutSeconds ?? 20));
  try {
    const response = await fetch(server.url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...server.headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, gone]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return timeout.aborted ? 'timeout' : 'unreachable';
  }
}

/** The same seed gives the same order. */
function shuffled<Item>(items: Item[], seed: number): Item[] {
  const result = [...items];
  let random = seed >>> 0;
  for (let index = result.length - 1; index > 0; index--) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const other = Math.floor((random / 2 ** 32) * (index + 1));
    [result[index], result[other]] = [result[other] as Item, result[index] as Item];
  }
  return result;
}
