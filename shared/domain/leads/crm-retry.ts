/** Seconds until the CRM is asked about a lead once more: half an hour together. */
const WAITS_SECONDS = [15, 30, 60, 120, 240, 480, 900];

/** @param tries in vain so far, at least 1. @returns undefined when it has been asked often enough. */
export const crmRetryDelay = (tries: number): number | undefined => WAITS_SECONDS[tries - 1];

/** With room for what lies between the waits: nobody waits to ask the CRM once more so long after the first time. */
export const CRM_RETRIES_SECONDS = 2 * WAITS_SECONDS.reduce((sum, wait) => sum + wait);
