import type { Call } from '../../domain/calls/call.ts';
import { type CallEvent, eventsOfChange } from '../../domain/calls/call-event.ts';
import { measuresOfChange } from '../../domain/calls/usage/call-measures.ts';
import type { TakeMeasure } from '../../domain/metric.ts';

export type CallChange = { sequenceNumber: string; before: Call | undefined; after: Call };

export type PublishCallEventsDeps = {
  /** @returns for each event whether the bus accepted it. */
  publish: (events: readonly CallEvent[]) => Promise<boolean[]>;
  measure: TakeMeasure;
};

/**
 * Publishes the events of call changes, in the order of the stream, and measures the changes whose events the bus has
 * accepted. A repeated delivery measures them again.
 * @returns the sequence number from which the stream must redeliver; undefined if all events were accepted
 */
export async function publishCallEvents(
  deps: PublishCallEventsDeps,
  changes: readonly CallChange[],
): Promise<string | undefined> {
  const events = changes.flatMap(({ sequenceNumber, before, after }) =>
    eventsOfChange(before, after).map((event) => ({ sequenceNumber, event })),
  );
  const accepted = await deps.publish(events.map(({ event }) => event));
  const again = events.find((_event, index) => !accepted[index])?.sequenceNumber;
  for (const { sequenceNumber, before, after } of changes) {
    if (sequenceNumber === again) break;
    for (const measure of measuresOfChange(before, after)) deps.measure(measure);
  }
  return again;
}
