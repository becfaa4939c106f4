import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ActivityEntry, Outcome } from '../../../shared/domain/activity.ts';
import { newEventId } from '../../../shared/domain/ids.ts';
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
      listForRetry: async (connectionId: string, { since, outcome }: { since: string; outcome: Outcome }) => {
        asked.push({ connectionId, since, outcome });
        return entries.filter((entry) => entry.at >= since && (entry.outcome === outcome || entry.source === 'retry'));
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

  it.each<Outcome>(['auto_call_disabled', 'do_not_call', 'already_called', 'already_called_race', 'owner_mismatch'])(
    'that came to %s is not the end of it: the next try has the next number',
    async (outcome) => {
      const event = anEvent();
      const [first] = await service([entryOf(event)]).retry();
      const tried = entryOf({ ...(first as LeadEvent), at: '2026-03-03T05:00:00.000Z' }, outcome);
      for (const entries of [
        [entryOf(event), tried],
        [tried, entryOf(event)],
      ])
        expect(await service(entries).retry()).toMatchObject([
          {
            event_id: `${event.event_id}.retry.2`,
            original_event_id: event.event_id,
            original_at: event.at,
            lead: event.lead,
          },
        ]);
    },
  );

  it('of a lead that has its call by now is none', async () => {
    const [event, other] = [anEvent(), anEvent()];
    const entries = [entryOf(event), entryOf(other)];
    const repeats = await service(entries).retry();
    const called = repeats.find(({ original_event_id }) => original_event_id === event.event_id) as LeadEvent;
    entries.push(entryOf(called, 'call queued'));
    for (const order of [entries, [...entries].reverse()])
      expect((await service(order).retry()).map(({ event_id }) => event_id)).toEqual([`${other.event_id}.retry.1`]);
  });

  it('of which only a try is known, and not the event, is none', async () => {
    const lost = anEvent({ event_id: 'evt_1.retry.1', original_event_id: 'evt_1', source: 'retry' });
    expect(await service([entryOf(lost, 'do_not_call')]).retry()).toEqual([]);
  });

  it('is one per original event without a call, whatever tries stand in Activity in whatever order, with a new number', async () => {
    const outcomes = fc.constantFrom<Outcome>('insufficient_credits', 'do_not_call', 'call queued');
    const tries = fc.uniqueArray(
      fc.record({ origin: fc.nat({ max: 3 }), number: fc.nat({ max: 12 }), outcome: outcomes }),
      {
        maxLength: 20,
        selector: ({ origin, number }) => `${origin} ${number}`,
      },
    );
    await fc.assert(
      fc.asyncProperty(tries, async (all) => {
        const entries = all.map(({ origin, number, outcome }) =>
          entryOf(
            anEvent(
              number === 0
                ? { event_id: `evt_${origin}` }
                : {
                    event_id: `evt_${origin}.retry.${number}`,
                    original_event_id: `evt_${origin}`,
                    original_at: '2026-03-02T06:00:00.000Z',
                    source: 'retry',
                  },
            ),
            // An original event with another outcome has no tries.
            number === 0 ? 'insufficient_credits' : outcome,
          ),
        );
        const queued = await service(entries).retry();
        const expected = [0, 1, 2, 3].flatMap((origin) => {
          const own = all.filter((one) => one.origin === origin);
          const isKnown = own.some(({ number, outcome }) => number === 0 || outcome === 'insufficient_credits');
          const hasCall = own.some(({ number, outcome }) => number > 0 && outcome === 'call queued');
          return isKnown && !hasCall ? [`evt_${origin}.retry.${Math.max(...own.map(({ number }) => number)) + 1}`] : [];
        });
        expect(queued.map(({ event_id }) => event_id).sort()).toEqual(expected.sort());
        for (const { original_event_id, original_at, event_id } of queued) {
          expect(original_at).toBe('2026-03-02T06:00:00.000Z');
          expect(event_id.startsWith(`${original_event_id}.retry.`)).toBe(true);
          // So its call is the original's.
          expect(original_event_id).toMatch(/^evt_\d$/);
        }
      }),
      { numRuns: 300 },
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
      activity: { listForRetry: async () => [entryOf(anEvent())] },
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
