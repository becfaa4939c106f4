import type { Call } from './call.ts';
import type { TerminalStatus } from './call-status.ts';

/** The end of a call. */
export type Ending = {
  status: TerminalStatus;
  ended_reason: string;
  /** Absent if it never connected. */
  started_at?: string;
  ended_at: string;
  /** Seconds of connected time, rounded up. */
  duration: number;
};

/** Returns the ending of a call that never connected and that the service itself ends. */
export const endedByService = (status: 'failed' | 'canceled', reason: string, now: Date): Ending => ({
  status,
  ended_reason: reason,
  ended_at: now.toISOString(),
  duration: 0,
});

/** Returns whether the platform refused the dial for good: no phone rang (docs/call-lifecycle.md, "Dialing"). */
export const isRefusedByPlatform = ({ ended_reason = '' }: Pick<Call, 'ended_reason'>): boolean =>
  ended_reason.startsWith('platform answered ');

/** How long after its maximum duration the platform may end a call. */
export const OVERRUN_SECONDS = 60;

/** Returns whether the platform ended the call only slightly after its maximum duration. */
export const isShortOverrun = (
  { max_duration_seconds: longest }: Pick<Call, 'max_duration_seconds'>,
  { duration }: Pick<Ending, 'duration'>,
): boolean => duration > longest && duration <= longest + OVERRUN_SECONDS;

/** End reasons after which the platform may still have a live call. */
const endsWithoutReport: ReadonlySet<string | undefined> = new Set([
  'lost',
  'ended_by_operator',
  'platform_unreachable',
]);

/** Returns whether the service has ended the call without a report of the platform. */
export const isEndedWithoutReport = ({ ended_reason }: Pick<Call, 'ended_reason'>): boolean =>
  endsWithoutReport.has(ended_reason);
