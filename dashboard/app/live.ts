/**
 * How often what is on the page is read again, in milliseconds: `live` while a call on it lives, `calm` else,
 * `lost` while something cannot be read. The query client reads nothing for a hidden tab.
 */
export const refreshEvery = { live: 2_000, calm: 15_000, minute: 60_000, lost: 5_000 } as const;
