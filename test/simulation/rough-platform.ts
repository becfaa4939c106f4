import type { EndReport } from '../../shared/domain/calls/platform/platform-message.ts';
import { outcomeOfRefusal } from '../../shared/integrations/voice/vapi/refusal.ts';
import type { DialOutcome } from '../../shared/integrations/voice/voice-platform.ts';
import type { QueueParts } from './queues.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Instants that no call can have: the zero time of some languages, an epoch in seconds, a year of a wrong clock. */
const absurdTimes = [
  '0001-01-01T00:00:00.000Z',
  '1970-01-21T12:00:00.000Z',
  '2036-03-02T06:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
];

/** Chooses the faults of a rough platform. A platform that is not rough has no faults, and draws no random values. */
export function roughnessOf({ timeline, random, rates }: QueueParts) {
  const { isRough } = rates;
  const startMs = timeline.ms;
  const fromStart = (minutes: number) => startMs + minutes * MINUTE_MS;
  /** How far the platform's clock is ahead; the service tolerates a minute. */
  const clockMs = isRough ? random.whole(-50, 50) * SECOND_MS : 0;
  const blindFrom = isRough ? fromStart(random.whole(0, 60)) : 0;
  const blindUntil = isRough ? blindFrom + random.whole(0, 150) * MINUTE_MS : 0;
  const strictUntil = isRough ? fromStart(random.whole(0, 120)) : 0;
  const strictNumber = isRough ? random.pick([undefined, 'default', 'number-1']) : undefined;
  const demandedSeconds = isRough ? random.pick([undefined, undefined, 0, 900, 1e9]) : undefined;
  const failing = isRough ? random.pick([0, 0.05, 0.3]) : 0;
  const [refusedShare, emptyFrom] = isRough ? [random.pick([2, 3, 10]), fromStart(random.whole(0, 60))] : [1, 0];
  const emptyUntil = isRough ? emptyFrom + random.whole(0, 40) * MINUTE_MS : 0;

  const now = () => new Date(timeline.ms + clockMs).toISOString();

  return {
    /** The time of the platform's clock. */
    now,
    clockMs,
    /** How long after a request without an answer the platform may dial. */
    latestDialMs: isRough ? 95 * SECOND_MS : 25 * SECOND_MS,
    /** Whether the listing of calls is too large or fails, for hours. */
    cannotList: () => isRough && timeline.ms >= blindFrom && timeline.ms < blindUntil,
    cannotRead: () => isRough && random.chance(failing),
    cannotHangUp: () =>
      isRough && random.chance(failing) ? random.pick(['no_way', 'unreachable'] as const) : undefined,

    /** Refuses some phones and a calling number for long, and the account for a while. The refusal may name a wait. */
    refuse(phone: string, numberId = 'default'): DialOutcome | undefined {
      if (!isRough) return undefined;
      if (timeline.ms < strictUntil && numberId === strictNumber) return outcomeOfRefusal(404, {}, demandedSeconds);
      if (timeline.ms < strictUntil && Number(phone.slice(-2)) % refusedShare === 0)
        return outcomeOfRefusal(random.pick([400, 403]), { message: 'Failed the fraud check.' });
      if (timeline.ms < emptyFrom || timeline.ms >= emptyUntil) return undefined;
      return outcomeOfRefusal(random.pick([402, 429]), {}, demandedSeconds);
    },

    /** The time at which a call reached a status: right, absent, or one that cannot be true. */
    reachedAt: () => (isRough ? random.pick([undefined, now(), now(), random.pick(absurdTimes)]) : undefined),

    /** Gives some reports times that cannot be true. */
    misstate(report: EndReport): EndReport {
      if (!isRough || !random.chance(0.15)) return report;
      const { started_at, ended_at } = report;
      const absurd = random.pick(absurdTimes);
      if (!started_at) return { ...report, ended_at: absurd };
      return {
        ...report,
        ...random.pick([
          { started_at: absurd },
          { ended_at: absurd },
          { started_at: absurd, ended_at: absurd },
          { started_at: ended_at, ended_at: started_at },
        ]),
      };
    },
  };
}
