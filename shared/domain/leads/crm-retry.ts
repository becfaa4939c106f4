/** The waits, in seconds, before the next request for a lead to a CRM that is unavailable: half an hour in total. */
const WAITS_SECONDS = [15, 30, 60, 120, 240, 480, 900];

/**
 * Returns the seconds to wait before the next request.
 * @param tries failed requests so far, at least 1
 * @returns undefined after the last wait
 */
export const crmRetryDelay = (tries: number): number | undefined => WAITS_SECONDS[tries - 1];

/** After this time no wait can be in progress. It is twice the sum, to allow for the time between the waits. */
export const CRM_RETRIES_SECONDS = 2 * WAITS_SECONDS.reduce((sum, wait) => sum + wait);

const SWEEP_WAIT_SECONDS = 15 * 60;
const LONGEST_SWEEP_WAIT_SECONDS = 12 * 60 * 60;

/**
 * Returns the seconds to wait before the next request for a lead of the Sunday sweep, which no catch-up finds.
 * @param waited seconds since the sweep
 * @returns undefined after twelve hours
 */
export const sweepRetryDelay = (tries: number, waited: number): number | undefined =>
  crmRetryDelay(tries) ?? (waited < LONGEST_SWEEP_WAIT_SECONDS ? SWEEP_WAIT_SECONDS : undefined);
