import { setTimeout as sleep } from 'node:timers/promises';
import { type DeliveryAnswer, deliver } from '../../kit/delivery.ts';
import { defaultServerMessages, type Server } from '../create-call.ts';
import type { Artifact, HeldCall, SentMessage } from '../model.ts';
import type { VoiceState } from '../state.ts';
import { effectiveAssistant, twilioSecrets } from './calls.ts';
import { presignedLinks } from './recordings.ts';

/** The vendor's timeout if the assistant sets none. */
const DEFAULT_TIMEOUT_SECONDS = 20;

type Queued = { sent: SentMessage; body: Record<string, unknown>; artifact: Artifact };

/**
 * Sends a call's messages to its server. Each message waits for the first attempt of the one before, not for its
 * retries. The script can duplicate, reorder or lose messages.
 */
export class Outbox {
  private readonly state: VoiceState;
  private readonly held: HeldCall;
  private readonly server: Server | undefined;
  private readonly wanted: readonly string[];
  private kept: Queued[] = [];
  private previous: Promise<void> = Promise.resolve();

  constructor(state: VoiceState, held: HeldCall) {
    const assistant = effectiveAssistant(held.request);
    this.state = state;
    this.held = held;
    this.server = assistant.server;
    this.wanted = assistant.serverMessages ?? defaultServerMessages;
  }

  /** Sends a message with the call as it is now, if the assistant requested this type. */
  emit(type: string, details: Record<string, unknown> = {}, artifact: Artifact = {}): void {
    if (!this.server?.url || !this.wanted.includes(type) || this.isLost(type, details)) return;
    const { call, request } = this.held;
    const { status, endedReason } = details;
    const body = structuredClone({
      type,
      timestamp: Math.max(this.state.clock(), call.endedAt ? Date.parse(call.endedAt) : 0),
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

  /** Ends the call's messages: sends those that were kept for reordering. */
  close(): void {
    const { shuffleMessages } = this.held.script;
    const order = typeof shuffleMessages === 'number' ? shuffled(this.kept, shuffleMessages) : this.kept.reverse();
    this.kept = [];
    for (const queued of order) this.enqueue(queued);
  }

  private isLost(type: string, details: Record<string, unknown>): boolean {
    const { dropLast } = this.held.script;
    if (dropLast === undefined) return false;
    if (type === 'end-of-call-report') return true;
    return dropLast === 'ended-and-report' && type === 'status-update' && details.status === 'ended';
  }

  private enqueue(queued: Queued): void {
    const { pending } = this.state;
    const copies = this.held.script.duplicateMessages ? [1, 2] : [1];
    pending.add(queued);
    let open = copies.length;
    const done = () => {
      open -= 1;
      if (open === 0) pending.delete(queued);
    };
    this.previous = this.previous.then(async () => {
      if (this.held.resetController.signal.aborted) return;
      this.held.messages.push(queued.sent);
      await Promise.all(copies.map(() => this.deliver(queued, done)));
    });
  }

  /** Resolves after the first attempt. Retries continue in the background. */
  private async deliver(queued: Queued, done: () => void): Promise<void> {
    const first = await this.attempt(queued, 1);
    this.retry(queued, first)
      .catch(() => undefined) // The simulator was reset.
      .finally(done);
  }

  private async retry(queued: Queued, first: DeliveryAnswer): Promise<void> {
    const plan = this.server?.backoffPlan;
    if (!plan) return;
    let answer = first;
    for (let retry = 1; retry <= plan.maxRetries && this.isRetryable(answer); retry++) {
      const seconds = plan.baseDelaySeconds * (plan.type === 'exponential' ? 2 ** (retry - 1) : 1);
      await sleep((1000 * seconds) / this.state.settings.speed, undefined, {
        signal: this.held.resetController.signal,
      });
      answer = await this.attempt(queued, retry + 1);
    }
  }

  private isRetryable(answer: DeliveryAnswer): boolean {
    if (typeof answer !== 'number') return true;
    const excluded = this.server?.backoffPlan?.excludedStatusCodes ?? [];
    return (answer < 200 || answer > 299) && !excluded.includes(answer);
  }

  private async attempt({ sent, body, artifact }: Queued, attempt: number): Promise<DeliveryAnswer> {
    const links = artifact.recordingUrl ? presignedLinks(this.state, this.held) : {};
    const text = JSON.stringify({ message: { ...body, artifact: { ...artifact, ...links } } });
    const { url = '', headers = {}, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = this.server ?? {};
    // The receiver is not accelerated, so the timeout is in real time.
    const answer = await deliver(url, text, { headers, timeoutSeconds, resetSignal: this.held.resetController.signal });
    sent.deliveries.push({ at: this.state.now(), attempt, answer });
    this.state.log(`${this.held.call.id} ${sent.type} ${sent.status ?? ''} -> ${answer}`);
    return answer;
  }
}

/** Shuffles items. The same seed gives the same order. */
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
