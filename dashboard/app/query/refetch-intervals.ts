import { isFailing, type QuerySnapshot, remainingWait } from './stale-data.ts';

/**
 * The intervals at which a page reads its data again, in milliseconds: `live` while a call on it is live,
 * `failing` while a read fails, `slow` for data that changes slowly, otherwise `normal`. The query client reads nothing
 * for a hidden tab.
 */
export const refetchIntervals = { live: 2_000, normal: 15_000, slow: 60_000, failing: 5_000 } as const;

/**
 * Returns the interval until a read is repeated, or the longer wait that the service demands. A failing read with data
 * is left to `retryFailedQueries`: in an outage, each open page would otherwise send a request per interval.
 * @param interval in milliseconds; false for never
 */
export function refetchAfter(interval: number | false, state: QuerySnapshot): number | false {
  if (isFailing(state) && state.data !== undefined) return false;
  return interval && Math.max(interval, remainingWait(state));
}
