import { outcomeOfRefusal } from '../../shared/integrations/voice/vapi/refusal.ts';
import type { DialOutcome } from '../../shared/integrations/voice/voice-platform.ts';
import type { QueueParts } from './queues.ts';

const MINUTE_MS = 60_000;
/**
 * The time for which the account's queue may stop: longer than the maximum duration of a call plus the hour after which
 * an unknown call counts as lost, and shorter than the wait of a lead's call.
 */
const STALL_MS = 90 * MINUTE_MS;

type Queued = { isWaiting: () => boolean; dial: () => void };
type Limit = 'concurrency' | 'daily' | 'wallet';

/** The account's answer to a dial request. `queue`: the platform accepts the call and dials it when a line is free. */
export type Admission =
  | { kind: 'dial' | 'queue' }
  | { kind: 'refuse'; outcome: DialOutcome }
  /** The platform accepts the call, and its end-of-call report says why no phone rang. */
  | { kind: 'report'; reason: string };

/** The answer to a dial beyond a limit, and the reason in an end-of-call report (Vapi, "Call ended reason"). */
const limits: Record<Limit, { status: number; message: string; reason: string }> = {
  concurrency: {
    status: 400,
    message: 'The concurrency limit is reached.',
    reason: 'call.start.error-subscription-concurrency-limit-reached',
  },
  daily: {
    status: 400,
    message: 'The daily outbound call limit of the number is reached.',
    reason: 'call.start.error-vapi-number-outbound-daily-limit',
  },
  wallet: {
    status: 402,
    message: 'The wallet is empty.',
    reason: 'call.start.error-subscription-insufficient-credits',
  },
};

/**
 * Simulates the service's account at the voice platform. In some worlds it has fewer lines than the stage has slots,
 * its wallet is empty for a while, or a calling number has few dials a day. If the account queues calls without a line,
 * its queue may stop for an hour and a half. Refusals are read by the service's own parser.
 */
export function accountOf({ timeline, random, rates }: QueueParts, stageSlots: number) {
  const lines = random.chance(rates.limits) ? random.whole(2, stageSlots) : Number.POSITIVE_INFINITY;
  const dialsPerDay = random.chance(rates.limits) ? random.whole(20, 120) : Number.POSITIVE_INFINITY;
  const emptyMs = timeline.ms + random.whole(0, 60) * MINUTE_MS;
  const paidMs = random.chance(rates.limits) ? emptyMs + random.whole(2, 40) * MINUTE_MS : 0;
  const withoutLine = random.pick(['queue', 'refuse', 'report'] as const);
  const stalledFromMs = timeline.ms + random.whole(0, 30) * MINUTE_MS;
  const stalledUntilMs = withoutLine === 'queue' && random.chance(rates.limits) ? stalledFromMs + STALL_MS : 0;
  const isQueueStalled = () => timeline.ms >= stalledFromMs && timeline.ms < stalledUntilMs;
  const dials = new Map<string, number>();
  const queue: Queued[] = [];
  let live = 0;

  const limited = (limit: Limit, kind: 'refuse' | 'report'): Admission => {
    const { status, message, reason } = limits[limit];
    // The platform may also report an empty wallet with 400.
    const outcome = outcomeOfRefusal(random.chance(0.5) ? 400 : status, { message });
    return kind === 'report' ? { kind, reason } : { kind, outcome };
  };
  const dialQueued = (): void => {
    if (isQueueStalled()) return;
    while (live < lines) {
      const next = queue.findIndex(({ isWaiting }) => isWaiting());
      if (next < 0) return;
      queue
        .splice(0, next + 1)
        .at(-1)
        ?.dial();
    }
  };
  if (stalledUntilMs > 0) timeline.after(stalledUntilMs - timeline.ms, dialQueued);
  const fail = (status: number, retryAfterSeconds?: number): Admission => ({
    kind: 'refuse',
    outcome: outcomeOfRefusal(status, { message: 'No.' }, retryAfterSeconds),
  });

  const misconfigured = (kind: 'refuse' | 'report'): Admission =>
    kind === 'report'
      ? { kind, reason: `call.start.error-${random.pick(['get-phone-number', 'fraud-check-failed'])}` }
      : { kind, outcome: outcomeOfRefusal(random.pick([400, 404]), { message: ['phoneNumberId does not exist'] }) };

  return {
    /** Answers a dial request. @param numberId the calling number */
    admit(numberId = 'default'): Admission {
      if (random.chance(0.01)) return fail(random.pick([400, 404, 422]));
      if (random.chance(rates.throttled)) return fail(429, random.chance(0.5) ? random.whole(1, 90) : undefined);
      if (random.chance(rates.throttled / 8)) return fail(random.pick([401, 403]));
      if (random.chance(rates.throttled / 8)) return misconfigured(random.pick(['refuse', 'report'] as const));
      const kind = random.pick(['refuse', 'report'] as const);
      if (timeline.ms >= emptyMs && timeline.ms < paidMs) return limited('wallet', kind);
      const today = `${numberId} ${timeline.date().toISOString().slice(0, 10)}`;
      const made = dials.get(today) ?? 0;
      if (made >= dialsPerDay) return limited('daily', kind);
      dials.set(today, made + 1);
      if (isQueueStalled()) return { kind: 'queue' };
      if (live < lines) return { kind: 'dial' };
      return withoutLine === 'queue' ? { kind: 'queue' } : limited('concurrency', withoutLine);
    },

    /** Queues a call without a line. */
    queue: (call: Queued): void => void queue.push(call),
    /** Takes a line for a dialed call. */
    take(): void {
      live += 1;
    },
    /** Frees a line, and dials the first queued calls that have not ended meanwhile. */
    giveBack(): void {
      live -= 1;
      dialQueued();
    },
  };
}
