import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { CallEvent } from '../../domain/calls/call-event.ts';
import { batchesOf } from '../batches.ts';

/** Quotas of EventBridge, PutEvents. `bytes` leaves room for the other members of ten entries. */
const quotas = { entries: 10, bytes: 250 * 1024 };
export const EVENT_SOURCE = 'calling-service';

/** Accesses the bus `calls`. */
export function eventBus(bridge: EventBridgeClient, busName: string) {
  return {
    /** Publishes events. @returns for each event whether the bus accepted it. */
    async publish(events: readonly CallEvent[]): Promise<boolean[]> {
      const accepted: boolean[] = [];
      const all = events.map((event) => ({
        EventBusName: busName,
        Source: EVENT_SOURCE,
        DetailType: event.type,
        Detail: JSON.stringify(event),
      }));
      for (const Entries of batchesOf(all, quotas, ({ Detail }) => Detail)) {
        const answer = await bridge.send(new PutEventsCommand({ Entries }));
        accepted.push(...Entries.map((_entry, index) => answer.Entries?.[index]?.EventId !== undefined));
      }
      return accepted;
    },
  };
}
