import * as z from 'zod/mini';
import { demandedWait } from '../time/demanded-wait.ts';
import { secondsAfter, secondsBetween } from '../time/instants.ts';

/** The failures of a connection's requests for leads. It exists from the first failure to the next answer. */
export const crmBreakerSchema = z.object({
  /** Failures without an answer in between. A lead that fails alone counts once until the breaker is open. */
  failures: z.number(),
  /** The mark of the lead of the last failure. Former versions stored the lead's id here. */
  lead_id: z.string(),
  /** Since when the breaker is open. */
  opened_at: z.optional(z.string()),
  /** When the next request may be sent. */
  not_before: z.optional(z.string()),
});

export type CrmBreaker = z.infer<typeof crmBreakerSchema>;

/**
 * The number of different marks: enough to tell two failing leads apart almost always, and so few that a mark
 * identifies no lead, because the breaker may outlive an erasure of the lead.
 */
const MARKS = 65_521; // a prime

function markOf(leadId: string): string {
  let mark = 0;
  for (const character of leadId) mark = (mark * 31 + (character.codePointAt(0) ?? 0)) % MARKS;
  return mark.toString(16).padStart(4, '0');
}

/** Low, because no answer arrived in between, and the failures concern several leads. */
const OPENS_AFTER = 5;
const FIRST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 5 * 60;
/** Longer than a request may take, so that one worker probes at a time. */
const PROBE_SECONDS = 60;
/** As long as an event waits for the CRM. */
const LONG_SECONDS = 30 * 60;

/** Whether a request may be sent. `probe`: only by the worker that stores `next` in place of the breaker. */
export type Admission = { kind: 'admitted' } | { kind: 'probe'; next: CrmBreaker } | { kind: 'refused' };

export function admissionBy(breaker: CrmBreaker | undefined, now: Date): Admission {
  if (breaker?.not_before === undefined) return { kind: 'admitted' };
  if (secondsBetween(now, breaker.not_before) > 0) return { kind: 'refused' };
  return { kind: 'probe', next: { ...breaker, not_before: secondsAfter(now, PROBE_SECONDS) } };
}

/**
 * Returns the breaker after one more failure. From the fifth on it is open, for one to five minutes. If CRM-B demands a
 * wait, it opens at once and for at least that long, because the wait concerns every lead.
 * @param retryAfterSeconds absent if CRM-B demands no wait
 */
export function afterFailure(
  breaker: CrmBreaker | undefined,
  leadId: string,
  now: Date,
  retryAfterSeconds?: number,
): CrmBreaker {
  const lead_id = markOf(leadId);
  const isAlone = breaker?.lead_id === lead_id && breaker.opened_at === undefined;
  const failures = (breaker?.failures ?? 0) + (isAlone ? 0 : 1);
  const demanded = demandedWait(retryAfterSeconds);
  const backOff =
    failures < OPENS_AFTER ? 0 : Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (failures - OPENS_AFTER));
  const pause = Math.max(demanded, backOff);
  if (pause === 0) return { failures, lead_id };
  return {
    failures,
    lead_id,
    opened_at: breaker?.opened_at ?? now.toISOString(),
    not_before: secondsAfter(now, pause),
  };
}

/** Returns the seconds until the next request may be sent; 0 for now. */
export const pauseOf = (breaker: CrmBreaker | undefined, now: Date): number =>
  breaker?.not_before === undefined ? 0 : Math.max(0, secondsBetween(now, breaker.not_before));

/**
 * Returns whether the CRM has been silent so long that an event need not wait for it. While a probe is in progress, an
 * answer is expected soon.
 */
export const isDownForLong = (breaker: CrmBreaker | undefined, now: Date): boolean =>
  breaker?.opened_at !== undefined &&
  secondsBetween(breaker.opened_at, now) >= LONG_SECONDS &&
  pauseOf(breaker, now) > PROBE_SECONDS;
