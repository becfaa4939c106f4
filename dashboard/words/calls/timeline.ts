import { factsAfterEnd } from '../../../shared/domain/calls/call-facts.ts';
import { terminalStatuses } from '../../../shared/domain/calls/call-status.ts';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { wordsIn } from '../newer.ts';
import { callbackName, describeAttempt, stepStates, stepWords } from './call-page.ts';
import { describeEndedReason } from './calls.ts';

/** The events of a call. */
export const factWords: Readonly<Record<ShownCall['timeline'][number]['what'], string>> = {
  placed: 'Placed',
  due: 'Call window opens',
  dialed: 'Dialed',
  rang: 'Rang',
  answered: 'Answered',
  stop_asked: 'Stop requested',
  hung_up: 'Hung up',
  ended: 'Ended',
  recorded: 'Recording stored',
  analyzed: 'Analyzed',
  listed: 'Number added to the do-not-call list',
  finished: 'All follow-up work finished',
};

type TimelineSource = Pick<ShownCall, 'timeline' | 'steps' | 'callbacks' | 'ended_reason' | 'attempts'>;

/** A line of a call's timeline. */
export type TimelineLine = { key: string; text: string; note?: string | undefined; at: string };

/** `follows`: the event follows the end of the call, and is listed below it even if the platform's clock differs. */
type SortableLine = TimelineLine & { follows?: boolean };

/** @returns a call's events, the writes to CRM-B and the help desk, and each attempt of a callback, sorted by time */
export function describeTimeline({
  timeline,
  steps,
  callbacks,
  ended_reason,
  attempts,
}: TimelineSource): TimelineLine[] {
  const facts = timeline.map(({ what, at }): SortableLine => {
    const ended = what === 'ended' && ended_reason ? describeEndedReason(ended_reason) : undefined;
    const dialed = what === 'dialed' && attempts > 1 ? `attempt ${attempts}` : undefined;
    return { key: what, text: factWords[what], note: ended ?? dialed, at };
  });
  const writes = steps.flatMap(({ step, state, at }): SortableLine[] => {
    if (state !== 'written' && state !== 'failed' && state !== 'unconfirmed') return [];
    const end = state === 'written' ? '' : `: ${wordsIn(stepStates, state).name.toLowerCase()}`;
    return [{ key: step, text: `${stepWords[step]}${end}`, at, follows: true }];
  });
  const sent = callbacks.flatMap(({ webhook_id, type, attempts: tries }) =>
    tries.flatMap(({ at, status_code: code, error, is_asked }, index): SortableLine[] => {
      if (code === null && error === null) return [];
      const end = code !== null && code >= 200 && code < 300 ? 'delivered' : 'not delivered';
      const note = `${is_asked ? 'sent manually, ' : ''}${describeAttempt({ status_code: code, error })}`;
      const text = `Callback ${end}: ${callbackName(type)}`;
      return [{ key: `${webhook_id} ${index}`, text, note, at, follows: reportsEnd(type) }];
    }),
  );
  const end = timeline.find(({ what }) => what === 'ended')?.at ?? '';
  const follows = ({ key, follows: isNext = false }: SortableLine) =>
    isNext || factsAfterEnd.some((what) => what === key);
  const sortTimeOf = (line: SortableLine) => (follows(line) && line.at < end ? end : line.at);
  return [...facts, ...writes, ...sent]
    .toSorted((one, other) => one.at.localeCompare(other.at))
    .toSorted(
      (one, other) => sortTimeOf(one).localeCompare(sortTimeOf(other)) || Number(follows(one)) - Number(follows(other)),
    )
    .map(({ follows: _, ...line }) => line);
}

/** Returns whether a callback reports a call's end or a later event. */
const reportsEnd = (type: string): boolean =>
  type === 'call.analyzed' || terminalStatuses.some((status) => type === `call.${status}`);
