/**
 * The intervals at which a page reads its data again, in milliseconds: `live` while a call on it is live, `lost` while
 * a read fails, `minute` for data that changes slowly, otherwise `calm`. The query client reads nothing for a hidden
 * tab.
 */
export const refreshEvery = { live: 2_000, calm: 15_000, minute: 60_000, lost: 5_000 } as const;
