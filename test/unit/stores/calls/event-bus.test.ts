import type { CallEvent } from '../../../../shared/domain/calls/call-event.ts';
import { eventBus } from '../../../../shared/stores/calls/event-bus.ts';

type Entry = { Detail: string };

const anEvent = (summary: string) => ({ type: 'call.completed', summary }) as unknown as CallEvent;

it('events are published within the quotas of a request: ten, and 256 KB', async () => {
  const requests: Entry[][] = [];
  const bridge = {
    send: async ({ input }: { input: { Entries: Entry[] } }) => {
      requests.push(input.Entries);
      return {
        Entries: input.Entries.map(({ Detail }, index) => (Detail.includes('refused') ? {} : { EventId: `${index}` })),
      };
    },
  };
  const events = ['a'.repeat(200_000), 'refused', 'b'.repeat(100_000), ...Array(10).fill('c')].map(anEvent);
  expect(await eventBus(bridge as never, 'calls').publish(events)).toEqual(events.map((_, index) => index !== 1));
  expect(requests.map((entries) => entries.length)).toEqual([2, 10, 1]);
});
