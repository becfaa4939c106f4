import { MAX_DURATION } from '../../organizations/assistants/assistant-defaults.ts';
import { isLost } from '../platform/platform-lookup.ts';

/** The attributes that set the deadline of a dialed call. Those that cannot be read are undefined. */
export type ReadableDeadline = {
  dial_by: string;
  dial_claimed_at?: string | undefined;
  progress_at?: string | undefined;
  max_duration_seconds?: number | undefined;
  queued_at_platform?: string | undefined;
};

/**
 * Returns whether a dialed call has passed its deadline, in any status. An attribute that cannot be read makes the
 * deadline later, not earlier: a call is dialed, and rings, before its `dial_by`.
 */
export function isSurelyLost({ dial_claimed_at, queued_at_platform, ...call }: ReadableDeadline, now: Date): boolean {
  const { dial_by, progress_at = dial_by, max_duration_seconds = MAX_DURATION } = call;
  const known = { dial_by, dial_claimed_at, progress_at, max_duration_seconds, queued_at_platform };
  // The status matters only for a call that the platform had queued.
  return (['dialing', 'ringing'] as const).every((status) => isLost({ ...known, status }, now));
}
