import { SWEEP_WAIT_SECONDS } from '../connections/missed-sweep.ts';

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

const LATER_WAIT_SECONDS = 15 * 60;

/**
 * Returns the seconds to wait before the next request for a lead that no catch-up finds: of the Sunday sweep, or of the
 * retry of an ended call.
 * @param waited seconds since the sweep or the retry
 * @returns undefined after twelve hours
 */
export const unlistedRetryDelay = (tries: number, waited: number): number | undefined =>
  crmRetryDelay(tries) ?? (waited < SWEEP_WAIT_SECONDS ? LATER_WAIT_SECONDS : undefined);

/**
 * Returns the seconds to wait before the next request for the lead of a scheduled call: as for the Sunday sweep, but
 * the later waits end within the call window.
 * @param waited seconds since the call's time
 * @param left seconds until the window closes; 0 if it is not open
 * @returns undefined after the last wait
 */
export const releaseRetryDelay = (tries: number, waited: number, left: number): number | undefined =>
  crmRetryDelay(tries) ?? (LATER_WAIT_SECONDS < left ? unlistedRetryDelay(tries, waited) : undefined);

/** Returns whether waits of a release may be in progress. The parameters are those of `releaseRetryDelay`. */
export const mayReleaseWait = (waited: number, left: number): boolean =>
  waited < (left > 0 ? SWEEP_WAIT_SECONDS : CRM_RETRIES_SECONDS);
