import { setTimeout as sleep } from 'node:timers/promises';
import type { Assistant, TransferDestination } from '../create-call.ts';
import type { Artifact, CallStatus, HeldCall, Line } from '../model.ts';
import type { DialedScript, PhoneBehaviour } from '../scripts.ts';
import type { VoiceState } from '../state.ts';
import { effectiveAssistant, twilioSecrets } from './calls.ts';
import { dialogue, flatTranscript, openAiMessages, timedLines } from './conversation.ts';
import { callCosts } from './costs.ts';
import { Outbox } from './outbox.ts';
import { rawRecordingLinks } from './recordings.ts';

const defaults = { queueSeconds: 1, ringSeconds: 4, unansweredRingSeconds: 30, talkSeconds: 42, reportSeconds: 2 };
/** The vendor's limit if the assistant sets none. */
const defaultMaxDurationSeconds = 600;

type Ending = { reason: string; talkedSeconds?: number; said?: Line[]; destination?: TransferDestination };

/** Takes an accepted call from `queued` to its report. Returns at the first wait; the rest runs in the background. */
export function startCall(state: VoiceState, held: HeldCall): void {
  const { pending } = state;
  pending.add(held);
  new CallRun(state, held)
    .run()
    .catch((error: unknown) => {
      if (!held.resetController.signal.aborted) state.log(`${held.call.id} failed: ${error}`);
    })
    .finally(() => pending.delete(held));
}

/** Returns the behaviour of the phone after the call was accepted. */
export function behaviourOf(script: DialedScript): PhoneBehaviour {
  if ('phoneBehaviour' in script) return script.phoneBehaviour ?? 'answer';
  switch (script.behaviour) {
    case 'hang':
    case 'drop-after-accepting':
    case 'server-error-after-dialing':
      return 'answer';
    default:
      return script.behaviour;
  }
}

class CallRun {
  private readonly state: VoiceState;
  private readonly held: HeldCall;
  private readonly behaviour: PhoneBehaviour;
  private readonly script: DialedScript;
  private readonly assistant: Assistant;
  private readonly outbox: Outbox;
  private transfers: Artifact['transfers'];

  constructor(state: VoiceState, held: HeldCall) {
    this.state = state;
    this.held = held;
    this.script = held.script;
    this.behaviour = behaviourOf(held.script);
    this.assistant = effectiveAssistant(held.request);
    this.outbox = new Outbox(state, held);
  }

  async run(): Promise<void> {
    this.outbox.emit('status-update', { status: 'queued' });
    const ending = await this.untilEnd();
    this.end(ending);
    await this.pause(this.script.reportSeconds ?? defaults.reportSeconds, this.held.resetController.signal);
    this.report(ending);
    this.outbox.close();
  }

  private async untilEnd(): Promise<Ending> {
    if (await this.hungUpWithin(this.script.queueSeconds ?? defaults.queueSeconds)) return this.canceled();
    if (this.behaviour === 'not-started') return { reason: this.endedReasonOr('call.start.error-get-transport') };
    this.state.ring(this.held);
    this.enter('ringing');
    const unanswered = this.behaviour === 'no-answer';
    const ringing = this.script.ringSeconds ?? (unanswered ? defaults.unansweredRingSeconds : defaults.ringSeconds);
    if (await this.hungUpWithin(ringing)) return this.canceled();
    if (unanswered) return { reason: this.endedReasonOr('customer-did-not-answer') };
    if (this.behaviour === 'busy') return { reason: this.endedReasonOr('customer-busy') };
    return this.talk();
  }

  private async talk(): Promise<Ending> {
    const startedAtMs = this.state.clock();
    this.held.call.startedAt = new Date(startedAtMs).toISOString();
    this.enter('in-progress');
    this.outbox.emit('assistant.started', { newAssistant: this.assistant });

    const limit = this.assistant.maxDurationSeconds ?? defaultMaxDurationSeconds;
    const planned = this.script.talkSeconds ?? this.usualTalkSeconds();
    const seconds = Math.min(planned, limit);
    const lines = timedLines(
      dialogue(this.script, this.behaviour, this.assistant),
      this.assistant,
      startedAtMs,
      seconds,
    );
    const talkedSeconds = await this.speak(lines, seconds);
    if (talkedSeconds !== undefined) {
      const said = lines.filter((line) => line.secondsFromStart <= talkedSeconds);
      return { reason: this.endedReasonOr('assistant-ended-call'), talkedSeconds, said };
    }
    if (planned > limit)
      return { reason: this.endedReasonOr('exceeded-max-duration'), talkedSeconds: seconds, said: lines };
    if (this.behaviour === 'transfer') return this.transfer(lines, seconds);
    return { reason: this.endedReasonOr(this.usualReason()), talkedSeconds: seconds, said: lines };
  }

  /** Speaks the lines. @returns the seconds talked if the call was ended early */
  private async speak(lines: Line[], seconds: number): Promise<number | undefined> {
    const begun = performance.now();
    const spoken = lines.filter((line) => line.role !== 'system');
    const share = seconds / Math.max(spoken.length, 1);
    for (const line of spoken.length > 0 ? spoken : [undefined]) {
      const role = line?.role === 'bot' ? 'assistant' : 'user';
      if (line) this.outbox.emit('speech-update', { status: 'started', role });
      if (await this.hungUpWithin(share)) {
        const talked = ((performance.now() - begun) / 1000) * this.state.settings.speed;
        return Number(Math.min(talked, seconds).toFixed(3));
      }
      if (!line) continue;
      const soFar = lines.slice(0, lines.indexOf(line) + 1);
      this.outbox.emit('speech-update', { status: 'stopped', role });
      this.outbox.emit('transcript', { role, transcriptType: 'final', transcript: line.message });
      this.outbox.emit('conversation-update', {
        messages: soFar,
        messagesOpenAIFormatted: openAiMessages(soFar),
      });
    }
    return undefined;
  }

  private async transfer(said: Line[], talkedSeconds: number): Promise<Ending> {
    const destination = this.transferDestination();
    if (!destination)
      return { reason: this.endedReasonOr('call.in-progress.error-transfer-failed'), talkedSeconds, said };
    const transcript = flatTranscript(said);
    this.enter('forwarding', { destination, transcript, summary: this.summary(said), messages: said });
    this.outbox.emit('transfer-update', { destination });
    await this.pause(1, this.held.resetController.signal);
    const status = this.script.behaviour === 'transfer' ? (this.script.transferStatus ?? 'completed') : 'completed';
    this.transfers = [{ destination, mode: destination.transferPlan?.mode ?? 'blind-transfer', status }];
    const reason = this.endedReasonOr(transferReasons[status]);
    const through = status === 'completed' || status === 'connected';
    return { reason, talkedSeconds, said, ...(through && { destination }) };
  }

  private transferDestination(): TransferDestination | undefined {
    const number = this.script.behaviour === 'transfer' ? this.script.transferTo : undefined;
    if (number) return { type: 'number', number };
    return this.assistant.model?.tools?.find((tool) => tool.type === 'transferCall')?.destinations?.[0];
  }

  private end({ reason, talkedSeconds, destination }: Ending): void {
    const { call } = this.held;
    this.held.live = false;
    this.held.endedAtMs = this.state.clock();
    call.endedReason = reason;
    if (destination) call.destination = destination;
    if (call.startedAt !== undefined && talkedSeconds !== undefined)
      call.endedAt = new Date(Date.parse(call.startedAt) + Math.round(1000 * talkedSeconds)).toISOString();
    this.enter('ended', { endedReason: reason });
  }

  private report({ reason, talkedSeconds = 0, said = [], destination }: Ending): void {
    const { call } = this.held;
    const transcript = flatTranscript(said);
    const charged = this.behaviour === 'platform-fault' ? 0 : talkedSeconds;
    const price = callCosts(charged, transcript, this.assistant, this.script.cost);
    const summary = this.summary(said);
    const analysis =
      summary === undefined ? {} : { summary, successEvaluation: String(this.behaviour !== 'platform-fault') };
    const artifact: Artifact = {
      transcript,
      messages: said,
      messagesOpenAIFormatted: openAiMessages(said),
      ...rawRecordingLinks(this.state, this.held),
      ...(this.transfers && { transfers: this.transfers }),
      variableValues: {
        ...this.held.request.assistantOverrides?.variableValues,
        'phoneNumber.twilioAuthToken': twilioSecrets.twilioAuthToken,
      },
    };
    Object.assign(call, price, { analysis, artifact, messages: said, updatedAt: this.state.now() });
    this.outbox.emit(
      'end-of-call-report',
      {
        endedReason: reason,
        cost: price.cost,
        costs: price.costs,
        analysis,
        ...(call.startedAt !== undefined && { startedAt: call.startedAt }),
        ...(call.endedAt !== undefined && { endedAt: call.endedAt }),
        ...(destination && { destination }),
      },
      artifact,
    );
  }

  private enter(status: CallStatus, details: Record<string, unknown> = {}): void {
    this.held.call.status = status;
    this.held.call.updatedAt = this.state.now();
    this.outbox.emit('status-update', { status, ...details });
  }

  private usualTalkSeconds(): number {
    if (this.behaviour === 'platform-fault') return 5;
    if (this.behaviour === 'voicemail') return this.detectsVoicemail() ? 8 : 30;
    return defaults.talkSeconds;
  }

  private usualReason(): string {
    if (this.behaviour === 'platform-fault') return 'call.in-progress.error-vapifault-worker-died';
    // Without detection, which is the default, the assistant talks to the machine until the silence ends the call.
    if (this.behaviour === 'voicemail') return this.detectsVoicemail() ? 'voicemail' : 'silence-timed-out';
    return 'customer-ended-call';
  }

  private detectsVoicemail(): boolean {
    const { voicemailDetection, model } = this.assistant;
    if (model?.tools?.some((tool) => tool.type === 'voicemail')) return true;
    return voicemailDetection !== undefined && voicemailDetection !== 'off';
  }

  /** The vendor analyses conversations of two messages or more. */
  private summary(said: Line[]): string | undefined {
    if (this.script.summary !== undefined) return this.script.summary;
    const spoken = said.filter((line) => line.role !== 'system');
    if (spoken.length < 2) return undefined;
    return `The assistant called the customer, who said: "${spoken.findLast((line) => line.role === 'user')?.message}"`;
  }

  private endedReasonOr(usual: string): string {
    return this.script.endedReason ?? usual;
  }

  private canceled(): Ending {
    return { reason: 'manually-canceled' };
  }

  /** Waits for simulated seconds. @returns true if the call was ended meanwhile */
  private async hungUpWithin(seconds: number): Promise<boolean> {
    try {
      await this.pause(seconds, this.held.hangUp.signal);
      return false;
    } catch (error) {
      if (this.held.resetController.signal.aborted) throw error;
      return true;
    }
  }

  private async pause(seconds: number, signal: AbortSignal): Promise<void> {
    if (seconds > 0) await sleep((1000 * seconds) / this.state.settings.speed, undefined, { signal });
    else signal.throwIfAborted();
  }
}

const transferReasons = {
  completed: 'assistant-forwarded-call',
  connected: 'assistant-forwarded-call',
  'no-answer': 'call.forwarding.no-answer',
  voicemail: 'call.forwarding.no-answer',
  busy: 'call.forwarding.operator-busy',
  failed: 'call.in-progress.error-transfer-failed',
} as const;
