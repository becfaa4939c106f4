import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ActivityEntry, Outcome } from '../../../shared/domain/activity.ts';
import { callIdForLead, newEventId } from '../../../shared/domain/ids.ts';
import { type LeadEvent, leadEvent } from '../../../shared/messages/lead-event.ts';
import { retryLeads } from '../../../shared/operations/retry-leads.ts';

const SINCE = '2026-03-01T00:00:00.000Z';
const NOW = '2026-03-03T06:00:00.000Z';
const what = { outcome: 'insufficient_credits', since: SINCE } as const;

const anEvent = (over: Partial<LeadEvent> = {}): LeadEvent => ({
  event_id: newEventId(new Date('2026-03-02T06:00:00.000Z')),
  connection_id: 'conn_1',
  source: 'webhook',
  event: 'owner_reassignment',
  test: true,
  at: '2026-03-02T06:00:00.000Z',
  lead: {
    lead_id: 'lead-1',
    phones: ['98765 43210'],
    owner_id: 'o',
    do_not_call: false,
    fields: { FirstName: 'Asha' },
  },
  payload_keys: ['ProspectID'],
  ...over,
});

/** What processLead records of an event. */
const entryOf = (event: LeadEvent, outcome: Outcome = 'insufficient_credits'): ActivityEntry => ({
  connection_id: event.connection_id,
  event_id: event.event_id,
  org_id: 'org1',
  at: event.at,
  source: event.source,
  event: event.event,
  test: event.test,
  outcome,
  reason: 'x',
  payload_keys: event.payload_keys,
  ...(outcome === 'insufficient_credits' && { retryable: JSON.stringify(event) }),
  expires_at: 1,
});

/** A connection's Activity and its queue. */
function service(entries: ActivityEntry[]) {
  const batches: LeadEvent[][] = [];
  const asked: object[] = [];
  const deps = {
    activity: {
      list: async (connectionId: string, { since = '', outcome }: { since?: string; outcome?: Outcome }) => {
        asked.push({ connectionId, since, outcome });
        return entries
          .filter((entry) => entry.at >= since && (!outcome || entry.outcome === outcome))
          .sort((a, b) => (a.at < b.at ? 1 : -1));
      },
    },
    leads: {
      send: async () => {
        throw new Error('one by one');
      },
      sendMany: async (events: readonly LeadEvent[]) => {
        batches.push([...events]);
      },
    },
    now: () => new Date(NOW),
  };
  const retry = async () => {
    const count = await retryLeads(deps, 'conn_1', what);
    const queued = batches.at(-1) as LeadEvent[];
    expect(count).toBe(queued.length);
    return queued;
  };
  return { retry, asked, batches };
}

describe('a retry', () => {
  it('queues the event once more, as a retry of the original, that is otherwise the same', async () => {
    const event = anEvent();
    const { retry, asked } = service([entryOf(event)]);
    expect(await retry()).toEqual([
      {
        ...event,
        event_id: `${event.event_id}.retry.1`,
        original_event_id: event.event_id,
        original_at: event.at,
        source: 'retry',
        at: NOW,
      },
    ]);
    expect(asked).toEqual([{ connectionId: 'conn_1', since: SINCE, outcome: 'insufficient_credits' }]);
  });

  it('is a message that the queue can read', async () => {
    const [repeat] = await service([entryOf(anEvent())]).retry();
    expect(leadEvent.parse(JSON.parse(JSON.stringify(repeat)))).toEqual(repeat);
  });

  it('asked for twice has the same ids: it is one try more, not two', async () => {
    const { retry } = service([entryOf(anEvent()), entryOf(anEvent())]);
    const ids = (await retry()).map(({ event_id }) => event_id).sort();
    expect((await retry()).map(({ event_id }) => event_id).sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });

  it('that came to nothing gives the next number, of the same original, on its day', async () => {
    const event = anEvent();
    const entries = [entryOf(event)];
    for (const number of [1, 2, 3, 12].keys()) {
      const [repeat, ...others] = await service(entries).retry();
      expect(others).toEqual([]);
      expect(repeat).toMatchObject({
        event_id: `${event.event_id}.retry.${number + 1}`,
        original_event_id: event.event_id,
        original_at: event.at,
        source: 'retry',
        at: NOW,
      });
      entries.push(entryOf({ ...(repeat as LeadEvent), at: `2026-03-03T0${number}:30:00.000Z` }));
    }
  });

  it('counts its tries as numbers: the tenth comes after the ninth', async () => {
    const event = anEvent();
    const tries = [9, 10].map((number) =>
      entryOf(
        anEvent({ event_id: `${event.event_id}.retry.${number}`, original_event_id: event.event_id, source: 'retry' }),
      ),
    );
    for (const order of [tries, [...tries].reverse()])
      expect((await service([entryOf(event), ...order]).retry())[0]?.event_id).toBe(`${event.event_id}.retry.11`);
  });

  it('is one per original event, whatever tries stand in Activity in whatever order, and its call the same', async () => {
    const tries = fc.array(fc.record({ origin: fc.nat({ max: 3 }), number: fc.nat({ max: 12 }) }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(tries, async (all) => {
        const entries = all.map(({ origin, number }) =>
          entryOf(
            anEvent(
              number === 0
                ? { event_id: `evt_${origin}` }
                : {
                    event_id: `evt_${origin}.retry.${number}`,
                    original_event_id: `evt_${origin}`,
                    original_at: '2026-03-01T12:00:00.000Z',
                    source: 'retry',
                  },
            ),
          ),
        );
        const queued = await service(entries).retry();
        const most = new Map<number, number>();
        for (const { origin, number } of all) most.set(origin, Math.max(most.get(origin) ?? 0, number));
        expect(queued.map(({ event_id }) => event_id).sort()).toEqual(
          [...most].map(([origin, number]) => `evt_${origin}.retry.${number + 1}`).sort(),
        );
        for (const { original_event_id, event_id } of queued) {
          expect(event_id.startsWith(`${original_event_id}.retry.`)).toBe(true);
          expect(callIdForLead('conn_1', original_event_id as string)).toBe(
            callIdForLead('conn_1', event_id.split('.')[0] as string),
          );
        }
      }),
    );
  });

  it('is only of the outcome and the time that were asked for', async () => {
    const [old, called, short] = [anEvent({ at: '2026-02-28T23:59:59.999Z' }), anEvent(), anEvent()];
    const queued = await service([entryOf(old), entryOf(called, 'call queued'), entryOf(short)]).retry();
    expect(queued.map(({ original_event_id }) => original_event_id)).toEqual([short.event_id]);
  });

  it('of nothing queues nothing', async () => {
    expect(await service([]).retry()).toEqual([]);
    const { retryable, ...lost } = entryOf(anEvent());
    expect(await service([lost]).retry()).toEqual([]);
  });

  it('fails where the queue does not take it', async () => {
    const deps = {
      activity: { list: async () => [entryOf(anEvent())] },
      leads: {
        send: async () => {},
        sendMany: async () => {
          throw new Error('the queue refused 1 messages');
        },
      },
      now: () => new Date(NOW),
    };
    await expect(retryLeads(deps, 'conn_1', what)).rejects.toThrow('the queue refused');
  });
});
