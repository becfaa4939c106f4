import type { Call } from '../../domain/calls/call.ts';
import { type CallEvent, eventsOfChange } from '../../domain/calls/call-event.ts';

export type CallChange = { sequenceNumber: string; before: Call | undefined; after: Call };

export type PublishCallEventsDeps = {
  /** Puts events on the bus. @returns for each whether the bus took it. */
  publish: (events: readonly CallEvent[]) => Promise<boolean[]>;
};

/**
 * Turns changes of calls, in the order of the stream, into events on the bus.
 * @returns the sequence number of the first change that has to be delivered again, with all after it; undefined = none.
 */
export async function publishCallEvents(
  deps: PublishCallEventsDeps,
  changes: readonly CallChange[],
): Promise<string | undefined> {
  const events = changes.flatMap(({ sequenceNumber, before, after }) =>
    eventsOfChange(before, after).map((event) => ({ sequenceNumber, event })),
  );
  const taken = await deps.publish(events.map(({ event }) => event));
  return events.find((_event, index) => !taken[index])?.sequenceNumber;
}
