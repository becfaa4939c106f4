/** Names a release by the UTC minute for which the call is scheduled, such as `202611210330`. */
export const releaseMinute = (scheduledFor: string): string => scheduledFor.slice(0, 16).replace(/[-:T]/g, '');

/** Returns the suffix that turns the original event's id into the release's id. */
export const releaseSuffix = (scheduledFor: string): string => `release.${releaseMinute(scheduledFor)}`;
