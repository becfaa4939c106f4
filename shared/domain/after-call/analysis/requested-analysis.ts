/**
 * The least interval between two requested analyses of a call. Longer than an analysis may take, so that two never run
 * at once.
 */
export const ANALYSIS_SPACING_SECONDS = 30;
/** The maximum number of requested analyses of a call per IST day: enough to try new criteria. */
export const MAX_ANALYSES_A_DAY = 20;
