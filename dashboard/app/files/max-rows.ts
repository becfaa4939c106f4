/** The most rows of an exported file. */
export const MAX_ROWS = 50_000;
