import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { CallEvent } from '../../domain/calls/call-event.ts';

const MOST_ENTRIES = 10; // EventBridge, PutEvents
export const EVENT_SOURCE = 'calling-service';

/** The bus `calls`. */
export function eventBus(bridge: EventBridgeClient, busName: string) {
  return {
    /** @returns for each event whether the bus accepted it. */
    async publish(events: readonly CallEvent[]): Promise<boolean[]> {
      const accepted: boolean[] = [];
      for (let start = 0; start < events.length; start += MOST_ENTRIES) {
        const page = events.slice(start, start + MOST_ENTRIES);
        const Entries = page.map((event) => ({
          EventBusName: busName,
          Source: EVENT_SOURCE,
          DetailType: event.type,
          Detail: JSON.stringify(event),
        }));
        const answer = await bridge.send(new PutEventsCommand({ Entries }));
        accepted.push(...page.map((_event, index) => answer.Entries?.[index]?.EventId !== undefined));
      }
      return accepted;
    },
  };
}
