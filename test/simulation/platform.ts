import { Readable } from 'node:stream';
import type { EndReport, PlatformMessage } from '../../shared/domain/calls/platform/platform-message.ts';
import {
  isAccountFault,
  meaningOf,
  refusesAccount,
  refusesNumber,
} from '../../shared/integrations/voice/vapi/ended-reason.ts';
import { outcomeOfRefusal } from '../../shared/integrations/voice/vapi/refusal.ts';
import type {
  CallLookup,
  DialOutcome,
  FindOutcome,
  HangUpOutcome,
  ReadOutcome,
  RecordingOutcome,
  VoicePlatform,
} from '../../shared/integrations/voice/voice-platform.ts';
import { accountOf } from './account.ts';
import type { QueueParts } from './queues.ts';
import { roughnessOf } from './rough-platform.ts';

type Fate = 'answered' | 'no_answer' | 'busy' | 'failed' | 'endless';

/** A call as the platform records it. */
export type PlatformRecord = {
  id: string;
  callId: string;
  phone: string;
  /** The calling number; undefined for the account's default number. */
  numberId?: string | undefined;
  createdMs: number;
  /** A second call that the platform itself created for one request. */
  isTwin: boolean;
  /** The platform sends no messages about it. */
  isSilent: boolean;
  /** The service got no answer to its dial, so the dial does not open the gate. */
  isUnanswered: boolean;
  /** Accepted without a free line, and dialed later. */
  isQueued: boolean;
  state: 'queued' | 'ringing' | 'in_progress' | 'ended';
  startedAt?: string;
  report?: EndReport;
  /** Gives back the line of the account; absent while the call has none. */
  free?: () => void;
};

/** The platform lists a new record after a few seconds. */
const MAX_LISTING_LAG_MS = 20_000;

const fates: Record<Exclude<Fate, 'endless'>, number> = { answered: 66, no_answer: 20, busy: 9, failed: 5 };

const TRANSCRIPT = 'AI: Namaste.\nUser: Please call me next week.';

/**
 * Simulates the voice platform behind the service's own interface: it accepts or refuses a dial, does not answer, calls
 * twice, never ends a call, and reports late, twice, in any order or not at all.
 * @param onRing is called with the call of each phone that rings
 */
export function platformOf(
  parts: QueueParts,
  stageSlots: number,
  {
    report,
    onRing,
    onDialed,
    isDown,
  }: {
    report: (callId: string, message: PlatformMessage, delayMs: number) => void;
    onRing: (record: PlatformRecord) => void;
    onDialed: (outcome: DialOutcome) => void;
    isDown: () => boolean;
  },
) {
  const { timeline, random, rates, processes } = parts;
  const account = accountOf(parts, stageSlots);
  const records: PlatformRecord[] = [];
  const byId = new Map<string, PlatformRecord>();
  /** Second live calls of one dial that a lookup has listed, and whose end the service has not requested. */
  const secondCalls = new Set<PlatformRecord>();
  const rough = roughnessOf(parts);
  const { now } = rough;

  const sendReport = (record: PlatformRecord, message: PlatformMessage, mostMs = 3_000): void => {
    if (record.isSilent) return;
    const copies = random.chance(rates.unreported) ? 0 : random.chance(rates.duplicate) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1)
      report(record.callId, message, random.chance(rates.late) ? random.whole(0, 600_000) : random.whole(50, mostMs));
  };
  const progress = (record: PlatformRecord, state: 'ringing' | 'in_progress'): void => {
    record.state = state;
    sendReport(record, { kind: 'progress', platform_id: record.id, status: state, at: rough.reachedAt() });
  };

  const end = (record: PlatformRecord, outcome: EndReport['outcome'], reason: string): void => {
    if (record.state === 'ended') return;
    record.state = 'ended';
    secondCalls.delete(record);
    record.free?.();
    record.report = rough.misstate({
      kind: 'report',
      platform_id: record.id,
      outcome,
      reason,
      ...(isAccountFault(reason) && { is_account_fault: true }),
      ...(refusesAccount(reason) && { refuses_account: true }),
      ...(refusesNumber(reason) && { refuses_number: true }),
      ...(record.startedAt && { started_at: record.startedAt, transcript: TRANSCRIPT }),
      ended_at: now(),
    });
    sendReport(record, { kind: 'hung_up', platform_id: record.id, at: rough.reachedAt() ?? now(), reason });
    sendReport(record, record.report, 12_000);
  };

  const create = (callId: string, phone: string, over: Partial<PlatformRecord> = {}): PlatformRecord => {
    const id = `p${records.length + 1}`;
    const record: PlatformRecord = {
      ...{
        id,
        callId,
        phone,
        createdMs: timeline.ms,
        isTwin: false,
        isSilent: false,
        isUnanswered: false,
        isQueued: false,
        state: 'queued',
      },
      ...over,
    };
    records.push(record);
    byId.set(id, record);
    return record;
  };
  const fateOf = (): Fate => (random.chance(rates.endless) ? 'endless' : random.weighted(fates));

  /** Dials a call, which uses a line of the account until it ends. */
  const startCall = (record: PlatformRecord, fate: Fate): void => {
    account.take();
    const then = (seconds: [least: number, most: number], act: () => void) =>
      timeline.after(1000 * random.whole(...seconds) + random.whole(0, 999), () => {
        if (record.state !== 'ended') act();
      });
    const endsIn = (seconds: [least: number, most: number], outcome: EndReport['outcome'], reason: string) =>
      then(seconds, () => end(record, outcome, reason));
    const ring = () => {
      onRing(record);
      progress(record, 'ringing');
      if (fate === 'failed') endsIn([1, 5], 'failed', 'error');
      else if (fate === 'busy') endsIn([1, 5], 'busy', 'customer-busy');
      else if (fate === 'no_answer') endsIn([20, 40], 'no_answer', 'customer-did-not-answer');
      else then([2, 12], answer);
    };
    const answer = () => {
      record.startedAt = now();
      progress(record, 'in_progress');
      const seconds: [number, number] = random.chance(0.04) ? [595, 630] : [4, 150];
      if (fate !== 'endless') endsIn(seconds, 'completed', 'customer-ended-call');
    };
    record.free = account.giveBack;
    if (fate === 'failed' && random.chance(0.5)) endsIn([0, 4], 'failed', 'sip-failure');
    else then([0, 6], ring);
  };

  /** Dials without an answer to the service: the request timed out, or a gateway failed. */
  const dialUnseen = (callId: string, phone: string, numberId: string | undefined, mostMs: number): void =>
    timeline.after(random.whole(0, mostMs), () => {
      if (!random.chance(rates.twin * 20))
        return startCall(create(callId, phone, { numberId, isUnanswered: true }), fateOf());
      // Only a lookup reveals these two calls, so they must be long enough for it.
      const fate = random.pick([fateOf(), 'endless' as const]);
      for (const isTwin of [false, true])
        startCall(create(callId, phone, { numberId, isTwin, isSilent: true, isUnanswered: true }), fate);
    });

  /** Receives a dial request. */
  const receive = (callId: string, phone: string, numberId: string | undefined): DialOutcome => {
    if (isDown()) {
      if (random.chance(0.6)) return { kind: 'not_dialed', reason: 'no connection', isOperatorFault: false };
      if (random.chance(0.3)) dialUnseen(callId, phone, numberId, 0);
      return outcomeOfRefusal(random.pick([408, 500, 502]), undefined);
    }
    const refusal = rough.refuse(phone, numberId);
    if (refusal) return refusal;
    const admission = account.admit(numberId);
    if (admission.kind === 'refuse') return admission.outcome;
    if (random.chance(rates.unanswered)) {
      if (random.chance(0.6)) dialUnseen(callId, phone, numberId, rough.latestDialMs);
      return { kind: 'unknown', reason: 'timed out' };
    }
    if (admission.kind === 'queue') {
      const record = create(callId, phone, { numberId, isQueued: true });
      account.queue({ isWaiting: () => record.state !== 'ended', dial: () => startCall(record, fateOf()) });
      // The platform's documents contradict each other about whether its answer says that the call is queued.
      const saysQueued = records.length % 3 > 0;
      return { kind: 'accepted', platformId: record.id, ...(saysQueued && { isQueued: true }) };
    }
    const record = create(callId, phone, { numberId });
    if (admission.kind === 'report') {
      const { reason } = admission;
      timeline.after(random.whole(0, 4_000), () => end(record, meaningOf(reason).outcome, reason));
      return { kind: 'accepted', platformId: record.id };
    }
    const fate = fateOf();
    startCall(record, fate);
    if (!random.chance(rates.twin)) return { kind: 'accepted', platformId: record.id };
    const twin = create(callId, phone, { numberId, isTwin: true });
    startCall(twin, fate);
    return { kind: 'accepted', platformId: random.pick([record, twin]).id };
  };

  const lookup: CallLookup = {
    find: (callId, { from, to }, former) =>
      processes.request({
        what: () => `looks up ${callId}`,
        act: (): FindOutcome => {
          if (isDown() || rough.cannotList()) return { kind: 'unknown', reason: 'platform answered 500' };
          const [found, ...others] = records.filter(
            (record) =>
              record.callId === callId &&
              !former.has(record.id) &&
              record.createdMs + rough.clockMs >= from.getTime() &&
              record.createdMs + rough.clockMs <= to.getTime() &&
              timeline.ms - record.createdMs >= random.whole(1_000, MAX_LISTING_LAG_MS),
          );
          if (!found) return { kind: 'absent', as_of: timeline.date().toISOString() };
          for (const other of others) if (other.isSilent && other.state !== 'ended') secondCalls.add(other);
          return { kind: 'found', platformId: found.id, others: others.map(({ id }) => id) };
        },
        ms: 500,
      }),
  };

  const voice: VoicePlatform = {
    prepare: async () => undefined,
    erase: async () => ({ kind: 'absent' }),

    async dial({ callId, phoneNumber, voiceNumberId }) {
      const outcome = await processes.request({
        what: () => `dials ${callId}`,
        act: () => {
          const received = receive(callId, phoneNumber, voiceNumberId);
          onDialed(received);
          return received;
        },
        ms: 600,
      });
      // The platform's reports may arrive before its answer.
      const ms = outcome.kind === 'unknown' ? 10_000 : random.pick([50, 200, 6_000]);
      await processes.request({
        what: () => `is answered about ${callId}: ${JSON.stringify(outcome)}`,
        act: () => {},
        ms,
      });
      return outcome;
    },

    lookup: () => lookup,

    read: (platformId) =>
      processes.request({
        what: () => `reads ${platformId}`,
        act: (): ReadOutcome => {
          const record = byId.get(platformId);
          if (isDown() || rough.cannotRead()) return { kind: 'unknown', reason: 'platform answered 500' };
          if (!record) return { kind: 'not_found' };
          const status = record.state === 'ringing' || record.state === 'in_progress' ? record.state : 'dialing';
          const message = record.report ?? ({ kind: 'progress', platform_id: platformId, status } as const);
          return { kind: 'known', message };
        },
        ms: 500,
      }),

    hangUp: (platformId) =>
      processes.request({
        what: () => `hangs up ${platformId}`,
        act: (): HangUpOutcome => {
          if (isDown()) return { kind: 'unreachable', reason: 'platform answered 500' };
          const failure = rough.cannotHangUp();
          if (failure) return failure === 'no_way' ? { kind: failure } : { kind: failure, reason: 'status 500' };
          const record = byId.get(platformId);
          if (!record || record.state === 'ended') return { kind: 'not_live' };
          secondCalls.delete(record);
          // Some live calls do not end on request.
          if (!record.free || random.chance(0.9))
            end(record, record.startedAt ? 'completed' : 'canceled', 'assistant-ended-call');
          return { kind: 'hung_up' };
        },
        ms: 500,
      }),

    recording: (platformId) =>
      processes.request({
        what: () => `fetches the recording of ${platformId}`,
        act: (): RecordingOutcome => {
          if (isDown()) return { kind: 'unknown', reason: 'platform answered 500' };
          if (random.chance(rates.late)) return { kind: 'not_there' };
          return { kind: 'found', contentType: 'audio/wav', contentLength: 4, body: Readable.from('RIFF') };
        },
        ms: 900,
      }),
  };
  return { voice, secondCalls };
}
