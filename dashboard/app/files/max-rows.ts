/** The maximum number of rows in an exported file. */
export const MAX_ROWS = 50_000;
