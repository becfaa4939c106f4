import type { Call } from '../call.ts';
import { OVERRUN_SECONDS } from '../ending.ts';
import type { EndReport, PlatformMessage } from './platform-message.ts';

/** A time that differs from the times of the call by more than this is wrong: clocks do not differ as much. */
const TOLERANCE_MS = 60 * 60_000;

type KnownTimes = Pick<Call, 'created_at' | 'dial_claimed_at' | 'answered_at' | 'hung_up_at' | 'max_duration_seconds'>;

/**
 * Replaces the times of a platform's message that cannot be true, such as an empty time, which is in the year 1. The
 * charge, the usage, the retention and the deadlines of the work after a call depend on them.
 */
export function withCredibleTimes(call: KnownTimes, message: PlatformMessage, now: Date): PlatformMessage {
  if (message.kind === 'report') return withCredibleEnd(call, message, now);
  if (message.at === undefined || isCredible(call, message.at, now)) return message;
  return message.kind === 'progress' ? { ...message, at: undefined } : { ...message, at: now.toISOString() };
}

/**
 * Replaces the times of an end-of-call report that cannot be true. If the report has no end, the reported hang-up
 * replaces the time of the report, so that customers do not pay for the time in between.
 */
export function withCredibleEnd(call: KnownTimes, report: EndReport, now: Date): EndReport {
  const { ended_at: reported, reported_at } = report;
  const { hung_up_at } = call;
  const known = report.is_end_estimated ? [hung_up_at, reported] : [reported, hung_up_at, reported_at];
  const end = known.find((at) => at !== undefined && isCredible(call, at, now)) ?? now.toISOString();
  const ended = end === reported ? {} : { ended_at: end, is_end_estimated: true };
  const result = { ...report, ...ended };
  const { started_at, ended_at } = result;
  if (started_at === undefined) return result;
  const isBeforeEnd = Date.parse(started_at) <= Date.parse(ended_at);
  if (isBeforeEnd && isCredible(call, started_at, now)) return result;
  return { ...result, started_at: credibleStart(call, { ...report, started_at }, ended_at) };
}

function isCredible({ created_at, dial_claimed_at = created_at }: KnownTimes, at: string, now: Date): boolean {
  const ms = Date.parse(at);
  return ms >= Date.parse(dial_claimed_at) - TOLERANCE_MS && ms <= now.getTime() + TOLERANCE_MS;
}

/**
 * Returns the answer time of a call whose report has no credible one. If a wrong clock shifted both times, their
 * difference is still the connected time, even if the end, as the later one, seems credible. Without any credible time,
 * the duration is 0, because no client could verify a charge.
 * @param endedAt the credible end
 */
function credibleStart(
  { answered_at, max_duration_seconds }: KnownTimes,
  { started_at, ended_at }: { started_at: string; ended_at: string },
  endedAt: string,
): string {
  const connectedMs = Date.parse(ended_at) - Date.parse(started_at);
  const overrunMs = ended_at === endedAt ? OVERRUN_SECONDS * 1000 : TOLERANCE_MS;
  const isShifted = connectedMs >= 0 && connectedMs <= max_duration_seconds * 1000 + overrunMs;
  if (isShifted) return new Date(Date.parse(endedAt) - connectedMs).toISOString();
  return answered_at !== undefined && answered_at <= endedAt ? answered_at : endedAt;
}
