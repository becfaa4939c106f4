import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { clock } from './clock.ts';
import { logger } from './logger.ts';

/** An EventBridge event: `time` is when the schedule was due, or what an operator asked for (admin: schedule run --as-of). */
type ScheduledEvent = { time?: string };

export type Run = {
  /** The instant of the event, moving on with the run. */
  now: () => Date;
  timeLeftMs: () => number;
};

/**
 * The Lambda handler of a schedule. It returns its report, which `admin schedule run` shows. What it throws fails the
 * invocation: the error alarm sees it, and the next run tries again.
 */
export function scheduledTask<Report extends object>(task: (run: Run) => Promise<Report>) {
  return middy(async (event: ScheduledEvent, context: Context): Promise<Report> => {
    logger.resetKeys();
    logger.appendKeys({ request_id: context.awsRequestId });
    const started = clock().getTime();
    const asOf = notAhead(readInstant(event.time), started);
    const report = await task({
      now: () => new Date((asOf ?? started) + clock().getTime() - started),
      timeLeftMs: () => context.getRemainingTimeInMillis(),
    });
    logger.info('done', { report });
    return report;
  });
}

function readInstant(time: string | undefined): number | undefined {
  const instant = Date.parse(time ?? '');
  return Number.isNaN(instant) ? undefined : instant;
}

/**
 * What recover-calls proves, it proves by the time that has passed: an instant in the future would prove it too early, and
 * ring a phone twice. Only where the clock itself can be moved may a run be ahead of it.
 */
function notAhead(asOf: number | undefined, now: number): number | undefined {
  if (asOf === undefined || process.env.CLOCK_FILE) return asOf;
  return Math.min(asOf, now);
}
