import type { Call } from '../../domain/calls/call.ts';
import { type CallEvent, eventsOfChange } from '../../domain/calls/call-event.ts';

export type CallChange = { sequenceNumber: string; before: Call | undefined; after: Call };

export type PublishCallEventsDeps = {
  /** @returns for each event whether the bus accepted it. */
  publish: (events: readonly CallEvent[]) => Promise<boolean[]>;
};

/**
 * Publishes the events of call changes, in the order of the stream.
 * @returns the sequence number from which the stream has to deliver again; undefined where all events were accepted.
 */
export async function publishCallEvents(
  deps: PublishCallEventsDeps,
  changes: readonly CallChange[],
): Promise<string | undefined> {
  const events = changes.flatMap(({ sequenceNumber, before, after }) =>
    eventsOfChange(before, after).map((event) => ({ sequenceNumber, event })),
  );
  const accepted = await deps.publish(events.map(({ event }) => event));
  return events.find((_event, index) => !accepted[index])?.sequenceNumber;
}
