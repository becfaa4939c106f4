/** Between two analyses of a call by request. Longer than one may take, so that never two run at once. */
export const ANALYSIS_SPACING_SECONDS = 30;
/** Analyses of a call by request on an IST day: enough to try new criteria. */
export const MOST_ANALYSES_A_DAY = 20;
