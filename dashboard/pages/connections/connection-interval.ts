import type { ShownConnection } from '../../../shared/messages/dashboard/connections.ts';
import { refetchIntervals } from '../../app/query/refetch-intervals.ts';

/** After this many reads, which take some minutes, an awaited event may be far away, so the reads become rare. */
const MAX_LIVE_READS = 150;

type Read = {
  data: Pick<ShownConnection, 'connection' | 'event'> | undefined;
  /** The number of reads so far. */
  dataUpdateCount: number;
};

/**
 * Returns the interval at which the page of a connection is read: often while an event is awaited.
 * @param awaited a test event whose outcome is not known yet
 */
export function connectionInterval({ data, dataUpdateCount }: Read, awaited?: string): number {
  const isAwaiting = awaited !== undefined && !data?.event;
  const { is_connected = false, set_up = [] } = data?.connection ?? {};
  // A person who sets up a connection waits for its first delivery, even if other steps are left.
  const isAwaitingFirst = is_connected && set_up.some(({ step, is_done }) => step === 'delivery' && !is_done);
  const isOften = (isAwaiting || isAwaitingFirst) && dataUpdateCount < MAX_LIVE_READS;
  return isOften ? refetchIntervals.live : refetchIntervals.normal;
}
