/**
 * The intervals at which a page reads its data again, in milliseconds: `live` while a call on it is live,
 * `failing` while a read fails, `slow` for data that changes slowly, otherwise `normal`. The query client reads nothing
 * for a hidden tab.
 */
export const refetchIntervals = { live: 2_000, normal: 15_000, slow: 60_000, failing: 5_000 } as const;
