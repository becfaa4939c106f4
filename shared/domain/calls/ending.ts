import type { TerminalStatus } from './call-status.ts';

/** How a call ends. */
export type Ending = {
  status: TerminalStatus;
  ended_reason: string;
  /** Absent where it never connected. */
  started_at?: string;
  ended_at: string;
  /** Seconds of connected time, rounded up. */
  duration: number;
};

/** The ending of a call that never connected, where the service itself ends it. */
export const endedByService = (status: 'failed' | 'canceled', reason: string, now: Date): Ending => ({
  status,
  ended_reason: reason,
  ended_at: now.toISOString(),
  duration: 0,
});
