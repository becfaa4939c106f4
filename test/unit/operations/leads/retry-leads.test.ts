import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ActivityEntry, type Outcome, outcomes } from '../../../../shared/domain/connections/activity.ts';
import { newEventId } from '../../../../shared/domain/ids.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { retryLeads } from '../../../../shared/operations/leads/retry-leads.ts';
import { activityStore } from '../../../../shared/stores/connections/activity.ts';

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

/** A try of an event, by number. */
const tryOf = (event: LeadEvent, number: number, outcome?: Outcome, at = '2026-03-02T07:00:00.000Z'): ActivityEntry =>
  entryOf(
    {
      ...event,
      event_id: `${event.event_id}.retry.${number}`,
      original_event_id: event.event_id,
      original_at: event.at,
      source: 'retry',
      at,
    },
    outcome,
  );

/** What dial-call records where it cancels the call of an event. */
const dialEntryOf = (event: LeadEvent): ActivityEntry => ({
  ...entryOf({ ...event, event_id: `${event.event_id}.dial` }, 'phone_already_called'),
  source: 'dial',
});

/** After these the lead may be called one day; after all others it may not. */
const passing: Outcome[] = ['insufficient_credits', 'crm_unavailable', 'auto_call_disabled', 'assistant_missing'];
const standing = outcomes.filter((outcome) => !passing.includes(outcome));

const byKey = (one: ActivityEntry, other: ActivityEntry) => (one.event_id < other.event_id ? -1 : 1);

/** A connection's Activity and its queue. @param indexed what the index, which may be some seconds old, has of it. */
function service(entries: ActivityEntry[], indexed = entries) {
  const batches: LeadEvent[][] = [];
  const asked: object[] = [];
  const deps = {
    activity: {
      listOfOutcome: async (connectionId: string, { since, outcome }: { since: string; outcome: Outcome }) => {
        asked.push({ connectionId, since, outcome });
        return indexed.filter((entry) => entry.at >= since && entry.outcome === outcome);
      },
      triesOf: async (connectionId: string, eventId: string) => {
        asked.push({ connectionId, eventId });
        return entries.filter(({ event_id }) => event_id.startsWith(eventId)).sort(byKey);
      },
    },
    leadQueue: {
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
  const retryIds = async () => (await retry()).map(({ event_id }) => event_id);
  return { retry, retryIds, asked, batches };
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
    expect(asked).toEqual([
      { connectionId: 'conn_1', since: SINCE, outcome: 'insufficient_credits' },
      { connectionId: 'conn_1', eventId: event.event_id },
    ]);
  });

  it('is a message that the queue can read', async () => {
    const [repeat] = await service([entryOf(anEvent())]).retry();
    expect(leadEvent.parse(JSON.parse(JSON.stringify(repeat)))).toEqual(repeat);
  });

  it('asked for twice has the same ids: it is one try more, not two', async () => {
    const { retryIds } = service([entryOf(anEvent()), entryOf(anEvent())]);
    const ids = (await retryIds()).sort();
    expect((await retryIds()).sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });

  it('that came to nothing gives the next number, of the same original, on its day', async () => {
    const event = anEvent();
    const entries = [entryOf(event)];
    for (const number of [1, 2, 3, 12].keys()) {
      const [repeat, ...others] = await service(entries).retry();
      expect(others).toEqual([]);
      expect(repeat).toEqual({
        ...event,
        event_id: `${event.event_id}.retry.${number + 1}`,
        original_event_id: event.event_id,
        original_at: event.at,
        source: 'retry',
        at: NOW,
      });
      entries.push(entryOf({ ...(repeat as LeadEvent), at: `2026-03-03T0${number}:30:00.000Z` }));
    }
  });

  it('is of the original event also where only a later try lies in the time that was asked for', async () => {
    const event = anEvent({ at: '2026-02-20T06:00:00.000Z' });
    const [repeat, ...others] = await service([entryOf(event), tryOf(event, 1)]).retry();
    expect(others).toEqual([]);
    expect(repeat).toMatchObject({
      event_id: `${event.event_id}.retry.2`,
      original_event_id: event.event_id,
      original_at: event.at,
    });
  });

  it.each(passing)('follows a try that came to %s: something else may hold by now', async (outcome) => {
    const event = anEvent();
    expect(await service([entryOf(event), tryOf(event, 1, outcome)]).retry()).toMatchObject([
      {
        event_id: `${event.event_id}.retry.2`,
        original_event_id: event.event_id,
        original_at: event.at,
        lead: event.lead,
      },
    ]);
  });

  it.each(standing)('is none after a try that came to %s: that stands', async (outcome) => {
    const [event, other] = [anEvent(), anEvent()];
    const entries = [entryOf(event), tryOf(event, 1, outcome), entryOf(other)];
    for (const order of [entries, [...entries].reverse()])
      expect(await service(order).retryIds()).toEqual([`${other.event_id}.retry.1`]);
  });

  it('knows all outcomes, and which of them stand', () => {
    expect(standing.sort()).toEqual(
      [
        'call queued',
        'call scheduled',
        'no_lead_id_in_payload',
        'lead_not_found',
        'owner_mismatch',
        'no_dialable_phone',
        'own_platform_number',
        'do_not_call',
        'retried_recently',
        'already_called',
        'already_called_race',
        'phone_already_called',
        'ignored',
      ].sort(),
    );
  });

  it('goes by the last try, by its number: neither by when it was tried nor by where it stands', async () => {
    const event = anEvent();
    const { event_id } = event;
    const ofNumbers = (ninth: Outcome, tenth: Outcome) => [
      entryOf(event),
      // As if the clocks of two machines differed.
      tryOf(event, 9, ninth, '2026-03-03T05:00:00.000Z'),
      tryOf(event, 10, tenth, '2026-03-03T04:00:00.000Z'),
    ];
    for (const order of [(all: ActivityEntry[]) => all, (all: ActivityEntry[]) => [...all].reverse()]) {
      const ids = (ninth: Outcome, tenth: Outcome) => service(order(ofNumbers(ninth, tenth))).retryIds();
      expect(await ids('insufficient_credits', 'insufficient_credits')).toEqual([`${event_id}.retry.11`]);
      expect(await ids('already_called', 'insufficient_credits')).toEqual([`${event_id}.retry.11`]);
      expect(await ids('insufficient_credits', 'already_called')).toEqual([]);
    }
  });

  it('counts what was tried a moment ago: only the index is behind', async () => {
    const event = anEvent();
    const indexed = [entryOf(event)];
    const called = [...indexed, tryOf(event, 1, 'call queued')];
    expect(await service(called, indexed).retryIds()).toEqual([]);
    const short = [...indexed, tryOf(event, 1)];
    expect(await service(short, indexed).retryIds()).toEqual([`${event.event_id}.retry.2`]);
  });

  it("reads an event's tries consistently, from the table: the store's own promise", async () => {
    const event = anEvent();
    const sent: Record<string, unknown>[] = [];
    const send = async ({ input }: { input: Record<string, unknown> }) => {
      sent.push(input);
      return { Items: [entryOf(event)] };
    };
    const db = Object.assign(Object.create(DynamoDBDocumentClient.prototype), { send });
    const leadQueue = { send: async () => {}, sendMany: async () => {} };
    await retryLeads({ activity: activityStore(db, 'activity'), leadQueue, now: () => new Date(NOW) }, 'conn_1', what);
    expect(sent).toEqual([
      expect.objectContaining({
        IndexName: 'by-time',
        FilterExpression: 'outcome = :outcome',
        ExpressionAttributeValues: { ':connection': 'conn_1', ':since': SINCE, ':outcome': 'insufficient_credits' },
      }),
      {
        TableName: 'activity',
        KeyConditionExpression: 'connection_id = :connection AND begins_with(event_id, :event)',
        ExpressionAttributeValues: { ':connection': 'conn_1', ':event': event.event_id },
        ConsistentRead: true,
      },
    ]);
  });

  it('is none after a call that was canceled at its dial', async () => {
    const event = anEvent();
    const entries = [entryOf(event), dialEntryOf(event), tryOf(event, 1, 'call queued')];
    expect(await service(entries).retryIds()).toEqual([]);
    // Its worker died before it recorded the try; the call was placed all the same.
    expect(await service(entries.slice(0, 2)).retryIds()).toEqual([]);
  });

  it('of what became of a call when its window opened is one of its own event: the original stands', async () => {
    const event = anEvent();
    const released = anEvent({ event_id: `${event.event_id}.release.202603030330`, source: 'release' });
    const called = [entryOf(event), tryOf(event, 1, 'call scheduled')];
    expect(await service([...called, entryOf(released)]).retryIds()).toEqual([`${released.event_id}.retry.1`]);
    // As many tries as one likes: their numbers are no tries of the original.
    const tried = [...called, entryOf(released), tryOf(released, 1), tryOf(released, 2)];
    expect(await service(tried).retryIds()).toEqual([`${released.event_id}.retry.3`]);
    const done = [...tried, tryOf(released, 3, 'call queued')];
    expect(await service(done).retryIds()).toEqual([]);
  });

  it('is none after a dial that came too late: the call waits for its next window', async () => {
    const event = anEvent();
    const postponed = {
      ...entryOf({ ...event, event_id: `${event.event_id}.dial.2026-03-02T09:00:00.000Z` }, 'call scheduled'),
      source: 'dial' as const,
    };
    expect(await service([entryOf(event), postponed]).retryIds()).toEqual([]);
  });

  it('is one per original event whose last try may come to something else, whatever else stands in Activity', async () => {
    const some = fc.constantFrom<Outcome>(...passing, 'do_not_call', 'already_called', 'call queued');
    const tries = fc.uniqueArray(
      fc.record({ origin: fc.nat({ max: 3 }), number: fc.nat({ max: 12 }), outcome: some }),
      {
        maxLength: 20,
        selector: ({ origin, number }) => `${origin} ${number}`,
      },
    );
    await fc.assert(
      fc.asyncProperty(tries, async (all) => {
        const at = '2026-03-02T06:00:00.000Z';
        const entries = all.map(({ origin, number, outcome }) => {
          const event = anEvent({ event_id: `evt_${origin}`, at });
          return number === 0 ? entryOf(event, outcome) : tryOf(event, number, outcome);
        });
        const queued = await service(entries).retry();
        const expected = [0, 1, 2, 3].flatMap((origin) => {
          const own = all.filter((one) => one.origin === origin).sort((a, b) => a.number - b.number);
          const last = own.at(-1);
          const isKnown = own.some(({ outcome }) => outcome === 'insufficient_credits');
          return last && isKnown && passing.includes(last.outcome) ? [`evt_${origin}.retry.${last.number + 1}`] : [];
        });
        expect(queued.map(({ event_id }) => event_id).sort()).toEqual(expected.sort());
        for (const { original_event_id, original_at, event_id } of queued) {
          expect(original_at).toBe(at);
          expect(event_id.startsWith(`${original_event_id}.retry.`)).toBe(true);
          // So its call is the original's.
          expect(original_event_id).toMatch(/^evt_\d$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is only of the outcome and the time that were asked for', async () => {
    const [old, called, off, short] = [anEvent({ at: '2026-02-28T23:59:59.999Z' }), anEvent(), anEvent(), anEvent()];
    const entries = [entryOf(old), entryOf(called, 'call queued'), entryOf(off, 'auto_call_disabled'), entryOf(short)];
    expect(await service(entries).retryIds()).toEqual([`${short.event_id}.retry.1`]);
  });

  it('of nothing queues nothing', async () => {
    expect(await service([]).retry()).toEqual([]);
  });

  it.each([undefined, 'null', '[]', '{}', '{"event_id":"evt_1"}', '"evt_1"'])(
    'leaves out an event that was kept in another shape, and queues the others: %j',
    async (retryable) => {
      const event = anEvent();
      const { retryable: _kept, ...lost } = entryOf(anEvent());
      const entries = [{ ...lost, ...(retryable !== undefined && { retryable }) }, entryOf(event)];
      expect(await service(entries).retryIds()).toEqual([`${event.event_id}.retry.1`]);
    },
  );

  it('fails where the queue does not take it', async () => {
    const deps = {
      activity: { listOfOutcome: async () => [entryOf(anEvent())], triesOf: async () => [entryOf(anEvent())] },
      leadQueue: {
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
