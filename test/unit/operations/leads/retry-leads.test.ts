import fc from 'fast-check';
import {
  type ActivityEntry,
  isRetryable,
  type Outcome,
  outcomes,
  retryableOutcomes,
} from '../../../../shared/domain/connections/activity.ts';
import { newEventId, newToken } from '../../../../shared/domain/ids.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { type LeadRetry, retryAllLeads, retryLeads } from '../../../../shared/operations/leads/retry-leads.ts';
import { ist, MONDAY, TUESDAY } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';

const OPERATOR = { kind: 'operator', name: 'test' } as const;
const CRM_A = { connection_id: 'conn_1', org_id: 'org1', type: 'crm-a' } as const;
const SINCE = '2026-03-01T00:00:00.000Z';
const AT = ist(MONDAY, '11:30');
const NOW = ist(TUESDAY, '11:30');

const anEvent = (over: Partial<LeadEvent> = {}): LeadEvent => ({
  event_id: newEventId(new Date(AT)),
  connection_id: 'conn_1',
  source: 'webhook',
  event: 'owner_reassignment',
  test: true,
  at: AT,
  lead: { lead_id: 'lead-1', phones: ['98765 43210'], do_not_call: false, fields: { FirstName: 'Asha' } },
  payload_keys: ['ProspectID'],
  ...over,
});

/** @returns the numbered retry of an event */
const retryOf = (event: LeadEvent, number: number, at = NOW): LeadEvent => ({
  ...event,
  event_id: `${event.event_id}.retry.${number}`,
  original_event_id: event.event_id,
  original_at: event.at,
  source: 'retry',
  asked_by: OPERATOR.name,
  asked_at: at,
  at,
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
  ...(isRetryable(outcome) && { retryable: JSON.stringify(event) }),
  expires_at: 1,
});

/** @returns the entry of a retry, by default another lack of credit */
const tryOf = (event: LeadEvent, number: number, outcome?: Outcome, at = ist(MONDAY, '12:30')): ActivityEntry =>
  entryOf(retryOf(event, number, at), outcome);

/** @returns the entry of a later change of the call of an event */
const dialEntryOf = (event: LeadEvent, suffix: string, outcome: Outcome): ActivityEntry => ({
  ...entryOf({ ...event, event_id: `${event.event_id}.${suffix}` }, outcome),
  source: 'dial',
});

/** After these outcomes the lead may still be called; after others it may not. */
const callable: Outcome[] = [...retryableOutcomes, 'auto_call_disabled', 'assistant_missing'];

/** A connection's Activity and its queue. @param indexed the entries that the index already shows. */
function anActivity(entries: ActivityEntry[], indexed = entries) {
  const world = aWorld({ activity: indexed });
  world.freezeIndexes();
  for (const entry of entries) world.put('activity', entry);
  world.now = NOW;
  const leadQueue = world.queue<LeadEvent>();
  const retry = async (over: Pick<LeadRetry, 'until' | 'tests'> = {}) => {
    leadQueue.sent.length = 0;
    const request = { outcome: 'insufficient_credits', since: SINCE, ...over } as const;
    const count = await retryAllLeads({ ...world.common, leadQueue, newToken }, OPERATOR, CRM_A, request);
    expect(count).toBe(leadQueue.sent.length);
    return leadQueue.sent.map(({ message }) => message);
  };
  return { retry, leadQueue, world };
}
const retryIds = async (...activity: Parameters<typeof anActivity>) =>
  (await anActivity(...activity).retry()).map(({ event_id }) => event_id);

describe('a retry', () => {
  it('is the original event as a retry, in a message that the queue can read', async () => {
    const event = anEvent();
    const queued = await anActivity([entryOf(event)]).retry();
    expect(queued).toEqual([retryOf(event, 1)]);
    expect(leadEvent.parse(JSON.parse(JSON.stringify(queued[0])))).toEqual(queued[0]);
  });

  it('belongs to the original event even if only a later try is in the requested time', async () => {
    const event = anEvent({ at: '2026-02-20T06:00:00.000Z' });
    expect(await anActivity([entryOf(event), tryOf(event, 1)]).retry()).toEqual([retryOf(event, 2)]);
  });

  it.each(outcomes)('follows a try only if the lead may still be called: %s', async (outcome) => {
    const [event, other] = [anEvent(), anEvent()];
    const queued = await anActivity([entryOf(event), tryOf(event, 1, outcome), entryOf(other)]).retry();
    const expected = [retryOf(other, 1), ...(callable.includes(outcome) ? [retryOf(event, 2)] : [])];
    expect(queued).toHaveLength(expected.length);
    expect(queued).toEqual(expect.arrayContaining(expected));
  });

  it('sees a recent try that the index does not show yet', async () => {
    const event = anEvent();
    const indexed = [entryOf(event)];
    expect(await retryIds([...indexed, tryOf(event, 1, 'call queued')], indexed)).toEqual([]);
    expect(await retryIds([...indexed, tryOf(event, 1)], indexed)).toEqual([`${event.event_id}.retry.2`]);
  });

  it('does not follow a call that was canceled at its dial', async () => {
    const event = anEvent();
    const canceled = [entryOf(event), dialEntryOf(event, 'dial', 'phone_already_called')];
    expect(await retryIds([...canceled, tryOf(event, 1, 'call queued')])).toEqual([]);
    // The worker died before it recorded the try that placed the call.
    expect(await retryIds(canceled)).toEqual([]);
  });

  it('does not follow a late dial, because its call waits for its next opening', async () => {
    const event = anEvent();
    const postponed = dialEntryOf(event, 'dial.2026-03-02T09:00:00.000Z', 'call scheduled');
    expect(await retryIds([entryOf(event), postponed])).toEqual([]);
  });

  it('of a release belongs to the event of the release, not to the original', async () => {
    const event = anEvent();
    const released = anEvent({ event_id: `${event.event_id}.release.202603030330`, source: 'release' });
    const called = [entryOf(event), tryOf(event, 1, 'call scheduled')];
    expect(await retryIds([...called, entryOf(released)])).toEqual([`${released.event_id}.retry.1`]);
    const tried = [...called, entryOf(released), tryOf(released, 1), tryOf(released, 2)];
    expect(await retryIds(tried)).toEqual([`${released.event_id}.retry.3`]);
    expect(await retryIds([...tried, tryOf(released, 3, 'call queued')])).toEqual([]);
  });

  it('exists once per original event whose last try may be repeated, for any Activity and in every run', async () => {
    const tries = fc.uniqueArray(
      fc.record({
        origin: fc.nat({ max: 3 }),
        number: fc.nat({ max: 12 }),
        outcome: fc.constantFrom<Outcome>('insufficient_credits', 'crm_unavailable', 'already_called', 'call queued'),
        // The clocks of two machines may differ: a later try may have an earlier time.
        hour: fc.integer({ min: 10, max: 23 }),
      }),
      { maxLength: 20, selector: ({ origin, number }) => `${origin} ${number}` },
    );
    await fc.assert(
      fc.asyncProperty(tries, async (all) => {
        const entries = all.map(({ origin, number, outcome, hour }) => {
          const event = anEvent({ event_id: `evt_${origin}` });
          return number === 0 ? entryOf(event, outcome) : tryOf(event, number, outcome, ist(MONDAY, `${hour}:00`));
        });
        const expected = [0, 1, 2, 3].flatMap((origin) => {
          const own = all.filter((one) => one.origin === origin).sort((a, b) => a.number - b.number);
          const last = own.at(-1);
          const isKnown = own.some(({ outcome }) => outcome === 'insufficient_credits');
          if (!last || !isKnown || !callable.includes(last.outcome)) return [];
          return [retryOf(anEvent({ event_id: `evt_${origin}` }), last.number + 1)];
        });
        const { retry } = anActivity(entries);
        for (let run = 1; run <= 2; run += 1) {
          const queued = await retry();
          expect(queued.sort((one, other) => (one.event_id < other.event_id ? -1 : 1))).toEqual(expected);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is limited to the requested outcome and time', async () => {
    const [old, called, off, short] = [anEvent({ at: '2026-02-28T23:59:59.999Z' }), anEvent(), anEvent(), anEvent()];
    const entries = [entryOf(old), entryOf(called, 'call queued'), entryOf(off, 'auto_call_disabled'), entryOf(short)];
    expect(await retryIds(entries)).toEqual([`${short.event_id}.retry.1`]);
  });

  it('omits events that were queued after its time', async () => {
    const until = ist(MONDAY, '12:00');
    const [early, late] = [anEvent({ at: until }), anEvent({ at: ist(MONDAY, '12:01') })];
    const { retry } = anActivity([entryOf(early), tryOf(late, 1), entryOf(late)]);
    expect((await retry({ until })).map(({ event_id }) => event_id)).toEqual([`${early.event_id}.retry.1`]);
  });

  it.each([
    ['none', false],
    ['only', true],
  ] as const)('selects, with the tests %s, only events whose test is %s', async (tests, test) => {
    const { retry } = anActivity([entryOf(anEvent({ test: true })), entryOf(anEvent({ test: false }))]);
    expect((await retry({ tests })).map((event) => event.test)).toEqual([test]);
  });

  it.each([undefined, 'null', '[]', '{}', '{"event_id":"evt_1"}', '"evt_1"'])(
    'skips an event that was stored in another shape: %j',
    async (retryable) => {
      const event = anEvent();
      const { retryable: _, ...lost } = entryOf(anEvent());
      const entries = [{ ...lost, ...(retryable !== undefined && { retryable }) }, entryOf(event)];
      expect(await retryIds(entries)).toEqual([`${event.event_id}.retry.1`]);
    },
  );

  it('fails if the queue refuses it', async () => {
    const { retry, leadQueue } = anActivity([entryOf(anEvent())]);
    leadQueue.refusal = new Error('the queue refused 1 messages');
    await expect(retry()).rejects.toThrow('the queue refused');
  });

  it('is limited: a run reads a thousand entries, queues 50 events at most, and reports where the rest begins', async () => {
    const events = Array.from({ length: 120 }, (_, index) =>
      anEvent({ event_id: `evt_${index}`, at: ist(MONDAY, `11:${String(10 + (index % 50))}`) }),
    );
    const entries = events.flatMap((event) => [
      entryOf(event),
      entryOf({ ...event, event_id: `x_${event.event_id}` }, 'owner_mismatch'),
    ]);
    const { world, leadQueue } = anActivity(entries);
    const deps = { ...world.common, leadQueue, newToken };
    const retry = { outcome: 'insufficient_credits', since: SINCE } as const;
    let after: Awaited<ReturnType<typeof retryLeads>>['next'];
    do {
      const before = world.requests.length;
      const { queued, next } = await retryLeads(deps, OPERATOR, CRM_A, retry, after);
      expect(queued).toBeLessThanOrEqual(50);
      expect(world.requests.slice(before).filter((one) => one === 'Query activity').length).toBeLessThanOrEqual(5 + 50);
      after = next;
    } while (after);
    expect(leadQueue.sent.map(({ message }) => message.original_event_id).sort()).toEqual(
      events.map(({ event_id }) => event_id).sort(),
    );
    const audited = world.auditEntries() as { after: { leads: number }; action: string }[];
    expect(audited.every(({ action }) => action === 'leads.retried')).toBe(true);
    expect(audited.reduce((sum, { after: { leads } }) => sum + leads, 0)).toBe(120);
  });
});
