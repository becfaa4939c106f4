import { secondsAfter } from '../time/instants.ts';
import type { Connection } from './connection.ts';
import { earliestCatchUp } from './deliveries/watch-channel.ts';

/** If auto-call is switched more often within two days, only the earliest times are lost. */
const MAX_TIMES = 50;

type Switched = Pick<Connection, 'auto_call' | 'off_times' | 'created_at' | 'updated_at'>;

/**
 * Returns the times in which auto-call was off, after a person has switched it. Drops a time once its changes are too
 * old to be caught up on: no event waits that long.
 * @param before the connection as it was. Former versions did not record when auto-call was switched off, so the
 * person's last change, which is not earlier, counts instead
 * @returns undefined if the switch stays as it is
 */
export function offTimesAfter(before: Switched, auto_call: boolean, now: Date): Connection['off_times'] {
  if (auto_call === before.auto_call) return undefined;
  const at = now.toISOString();
  const earliest = earliestCatchUp(now);
  const { off_times: times = [], updated_at = before.created_at } = before;
  const ended = times.filter(({ to }) => to !== undefined && to > earliest);
  const { from = updated_at } = times.find(({ to }) => to === undefined) ?? {};
  return [...ended, auto_call ? { from, to: at } : { from: at }].slice(-MAX_TIMES);
}

/**
 * Returns whether auto-call was off at a time, and is on again.
 * @param at ISO 8601
 * @param doubtSeconds by how much `at` may be wrong. This close to a switch, auto-call counts as on: calling the lead
 * is the smaller mistake
 */
export const wasOffAt = (
  { off_times: times = [] }: Pick<Connection, 'off_times'>,
  at: string,
  doubtSeconds: number,
): boolean =>
  times.some(
    ({ from, to }) => to !== undefined && at > secondsAfter(from, doubtSeconds) && at < secondsAfter(to, -doubtSeconds),
  );
