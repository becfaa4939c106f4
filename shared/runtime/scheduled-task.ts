import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { clock } from './clock.ts';
import { logger } from './logger.ts';

/** An EventBridge event. `time` is when the schedule was due, or the operator's `schedule run --as-of`. */
type ScheduledEvent = { time?: string };

export type Run = {
  /** The instant of the event, advancing with the run. */
  now: () => Date;
  timeLeftMs: () => number;
};

/**
 * Creates the Lambda handler of a schedule. It returns its report, which `admin schedule run` prints. An exception
 * fails the invocation. The next run retries; the heartbeat's alarm is raised if no run succeeds.
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
 * Replaces a future instant with the current one: recover-calls proves absences by elapsed time, so a future instant
 * could ring a phone twice. Only a stage with a movable clock uses future instants.
 */
function notAhead(asOf: number | undefined, now: number): number | undefined {
  if (asOf === undefined || process.env.CLOCK_FILE) return asOf;
  return Math.min(asOf, now);
}
