import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ActivityEntry, type Outcome, outcomes } from '../../../../shared/domain/connections/activity.ts';
import { newEventId } from '../../../../shared/domain/ids.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { retryLeads } from '../../../../shared/operations/leads/retry-leads.ts';
import { aWorld } from '../../support/world.ts';

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

/** @returns the entry that process-lead writes for an event */
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

/** @returns the entry of a numbered try of an event */
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

/** @returns the entry that dial-call writes if it cancels the call of an event */
const dialEntryOf = (event: LeadEvent): ActivityEntry => ({
  ...entryOf({ ...event, event_id: `${event.event_id}.dial` }, 'phone_already_called'),
  source: 'dial',
});

/** After these outcomes the lead may still be called; after all others it may not. */
const passing: Outcome[] = ['insufficient_credits', 'crm_unavailable', 'auto_call_disabled', 'assistant_missing'];
const standing = outcomes.filter((outcome) => !passing.includes(outcome));

/** A connection's Activity and its queue. @param indexed the entries that the index already shows. */
function service(entries: ActivityEntry[], indexed = entries) {
  const world = aWorld({ activity: indexed });
  world.freezeIndexes();
  for (const entry of entries) world.put('activity', entry);
  world.now = NOW;
  const leadQueue = world.queue<LeadEvent>();
  const retry = async () => {
    leadQueue.sent.length = 0;
    const count = await retryLeads({ ...world.common, leadQueue }, 'conn_1', what);
    expect(count).toBe(leadQueue.sent.length);
    return leadQueue.sent.map(({ message }) => message);
  };
  const retryIds = async () => (await retry()).map(({ event_id }) => event_id);
  return { retry, retryIds, leadQueue };
}

describe('a retry', () => {
  it('queues the same event as a retry of the original', async () => {
    const event = anEvent();
    const { retry } = service([entryOf(event)]);
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
  });

  it('is a message that the queue can read', async () => {
    const [repeat] = await service([entryOf(anEvent())]).retry();
    expect(leadEvent.parse(JSON.parse(JSON.stringify(repeat)))).toEqual(repeat);
  });

  it('requested twice queues the same ids', async () => {
    const { retryIds } = service([entryOf(anEvent()), entryOf(anEvent())]);
    const ids = (await retryIds()).sort();
    expect((await retryIds()).sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });

  it('gets the next number after each try without a call', async () => {
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

  it('belongs to the original event even if only a later try is in the requested time', async () => {
    const event = anEvent({ at: '2026-02-20T06:00:00.000Z' });
    const [repeat, ...others] = await service([entryOf(event), tryOf(event, 1)]).retry();
    expect(others).toEqual([]);
    expect(repeat).toMatchObject({
      event_id: `${event.event_id}.retry.2`,
      original_event_id: event.event_id,
      original_at: event.at,
    });
  });

  it.each(passing)('follows a try that ended as %s', async (outcome) => {
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

  it.each(standing)('does not follow a try that ended as %s', async (outcome) => {
    const [event, other] = [anEvent(), anEvent()];
    const entries = [entryOf(event), tryOf(event, 1, outcome), entryOf(other)];
    expect(await service(entries).retryIds()).toEqual([`${other.event_id}.retry.1`]);
  });

  it('is defined for all outcomes', () => {
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

  it('follows the try with the highest number, whatever the times of the tries', async () => {
    const event = anEvent();
    const { event_id } = event;
    const ofNumbers = (ninth: Outcome, tenth: Outcome) => [
      entryOf(event),
      // The clocks of two machines may differ.
      tryOf(event, 9, ninth, '2026-03-03T05:00:00.000Z'),
      tryOf(event, 10, tenth, '2026-03-03T04:00:00.000Z'),
    ];
    const ids = (ninth: Outcome, tenth: Outcome) => service(ofNumbers(ninth, tenth)).retryIds();
    expect(await ids('insufficient_credits', 'insufficient_credits')).toEqual([`${event_id}.retry.11`]);
    expect(await ids('already_called', 'insufficient_credits')).toEqual([`${event_id}.retry.11`]);
    expect(await ids('insufficient_credits', 'already_called')).toEqual([]);
  });

  it('respects a recent try that the index does not show yet', async () => {
    const event = anEvent();
    const indexed = [entryOf(event)];
    const called = [...indexed, tryOf(event, 1, 'call queued')];
    expect(await service(called, indexed).retryIds()).toEqual([]);
    const short = [...indexed, tryOf(event, 1)];
    expect(await service(short, indexed).retryIds()).toEqual([`${event.event_id}.retry.2`]);
  });

  it('does not follow a call that was canceled at its dial', async () => {
    const event = anEvent();
    const entries = [entryOf(event), dialEntryOf(event), tryOf(event, 1, 'call queued')];
    expect(await service(entries).retryIds()).toEqual([]);
    // The worker died before it recorded the try that placed the call.
    expect(await service(entries.slice(0, 2)).retryIds()).toEqual([]);
  });

  it('of a release belongs to the event of the release, not to the original', async () => {
    const event = anEvent();
    const released = anEvent({ event_id: `${event.event_id}.release.202603030330`, source: 'release' });
    const called = [entryOf(event), tryOf(event, 1, 'call scheduled')];
    expect(await service([...called, entryOf(released)]).retryIds()).toEqual([`${released.event_id}.retry.1`]);
    const tried = [...called, entryOf(released), tryOf(released, 1), tryOf(released, 2)];
    expect(await service(tried).retryIds()).toEqual([`${released.event_id}.retry.3`]);
    const done = [...tried, tryOf(released, 3, 'call queued')];
    expect(await service(done).retryIds()).toEqual([]);
  });

  it('does not follow a late dial, whose call waits for its next opening', async () => {
    const event = anEvent();
    const postponed = {
      ...entryOf({ ...event, event_id: `${event.event_id}.dial.2026-03-02T09:00:00.000Z` }, 'call scheduled'),
      source: 'dial' as const,
    };
    expect(await service([entryOf(event), postponed]).retryIds()).toEqual([]);
  });

  it('is one per original event whose last try may be repeated, for any Activity', async () => {
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
          // The retry therefore places the call of the original event.
          expect(original_event_id).toMatch(/^evt_\d$/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is limited to the requested outcome and time', async () => {
    const [old, called, off, short] = [anEvent({ at: '2026-02-28T23:59:59.999Z' }), anEvent(), anEvent(), anEvent()];
    const entries = [entryOf(old), entryOf(called, 'call queued'), entryOf(off, 'auto_call_disabled'), entryOf(short)];
    expect(await service(entries).retryIds()).toEqual([`${short.event_id}.retry.1`]);
  });

  it('queues nothing for an empty Activity', async () => {
    expect(await service([]).retry()).toEqual([]);
  });

  it.each([undefined, 'null', '[]', '{}', '{"event_id":"evt_1"}', '"evt_1"'])(
    'skips an event that was stored in another shape: %j',
    async (retryable) => {
      const event = anEvent();
      const { retryable: _kept, ...lost } = entryOf(anEvent());
      const entries = [{ ...lost, ...(retryable !== undefined && { retryable }) }, entryOf(event)];
      expect(await service(entries).retryIds()).toEqual([`${event.event_id}.retry.1`]);
    },
  );

  it('fails if the queue refuses it', async () => {
    const { retry, leadQueue } = service([entryOf(anEvent())]);
    leadQueue.refusal = new Error('the queue refused 1 messages');
    await expect(retry()).rejects.toThrow('the queue refused');
  });
});
