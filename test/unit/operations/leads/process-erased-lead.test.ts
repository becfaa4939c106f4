import { activityExpiry, erasedEntry } from '../../../../shared/domain/connections/activity.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { aCrmAEvent, CALL, crmALeads, leadKey } from '../../support/crm-a-leads.ts';
import type { Contents } from '../../support/worlds/database.ts';
import { ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import { aClaim, CONNECTION, PHONE } from '../../support/worlds/lead-world.ts';
import { LIST_KEY, START } from '../../support/worlds/world.ts';

/** The erased key in place of a lead's id or a number. */
const hidden = (text: string) => erasedNumber(LIST_KEY, ORG, text);
const DO_NOT_CALL = { org_id: ORG, phone: PHONE, added_at: START };
const aRetry = (over: Partial<LeadEvent> = {}) =>
  aCrmAEvent({
    event_id: 'evt_1.retry.1',
    original_event_id: 'evt_1',
    original_at: START,
    source: 'retry',
    ...over,
  });

describe('an event that is still queued when its lead, called by another event, is erased', () => {
  const claimed = { claims: [aClaim(leadKey(MONDAY, hidden('lead-1')))] };

  it.each([
    ['the day after', ist(TUESDAY, '12:00'), aCrmAEvent({ event_id: 'evt_2', at: START })],
    ['after two weeks', ist('2026-03-16', '12:00'), aCrmAEvent({ event_id: 'evt_2', at: START })],
    ['as a retry of an event of months ago', START, aRetry({ original_at: '2025-12-10T06:00:00.000Z' })],
  ])('does not call the lead: %s', async (_, now, event) => {
    const world = crmALeads(claimed);
    world.now = now;
    expect(await world.process(event)).toBe('already_called');
    expect(world.calls()).toEqual([]);
  });
});

describe('a retry that was queued before its event was erased', () => {
  const entry = { connection_id: CONNECTION, event_id: 'evt_1', org_id: ORG, at: START, source: 'webhook' as const };
  const decided = {
    ...{ ...entry, event: 'owner_reassignment' as const, test: false, lead_id: 'lead-1', payload_keys: [] },
    ...{ outcome: 'insufficient_credits' as const, reason: 'Too little credit.', expires_at: activityExpiry(START) },
  };

  it('does not call the lead, and leaves nothing of the person in Activity', async () => {
    const erased = erasedEntry(decided);
    const world = crmALeads({ activity: [erased] });
    expect(await world.process(aRetry())).toBe('ignored');
    expect(world.calls()).toEqual([]);
    expect(world.all('activity')).toEqual([
      { ...erased, superseded_by: 'evt_1.retry.1' },
      {
        ...{ ...entry, event_id: 'evt_1.retry.1', source: 'retry', event: 'owner_reassignment', test: false },
        ...{ outcome: 'ignored', payload_keys: [], reason: 'The person of this event was erased.' },
        expires_at: activityExpiry(START),
      },
    ]);
  });

  it('calls the lead if the event was not erased, with one more read', async () => {
    const world = crmALeads({ activity: [decided] });
    expect(await world.process(aRetry())).toBe('call queued');
    expect(world.requests.filter((request) => request === 'Get activity')).toHaveLength(2);
  });
});

describe('an event whose call was erased', () => {
  const tombstone = { call_id: CALL, erased_of: ORG, erased_at: START };
  const stored = (over: Contents = {}) => crmALeads({ calls: [tombstone], ...over });

  it.each<[string, LeadEvent, Contents]>([
    ['the event itself, delivered again', aCrmAEvent(), {}],
    ['its retry', aRetry(), {}],
    ['its retry, whose lead a keyed hash claims', aRetry(), { claims: [aClaim(leadKey(MONDAY, hidden('lead-1')))] }],
    ['its retry, whose number is on the do-not-call list', aRetry(), { 'do-not-call': [DO_NOT_CALL] }],
  ])('leaves nothing of the person in Activity: %s', async (_, event, over) => {
    const world = stored(over);
    expect(await world.process(event)).toBe('ignored');
    expect(world.entries()).toEqual([
      {
        ...{ connection_id: CONNECTION, event_id: event.event_id, org_id: ORG, at: START, source: event.source },
        ...{ event: 'owner_reassignment', test: false, outcome: 'ignored', payload_keys: [] },
        ...{ reason: 'The call of this event was erased.', expires_at: activityExpiry(START) },
      },
    ]);
  });

  it('leaves nothing of the person in Activity if the erasure ends while the event is decided', async () => {
    const world = crmALeads();
    world.beforeNextWrite(() => world.put('calls', tombstone));
    expect(await world.process()).toBe('ignored');
    expect(world.entries()).toMatchObject([{ reason: 'The call of this event was erased.', payload_keys: [] }]);
    expect(JSON.stringify(world.entries())).not.toMatch(/lead-1|phone_/);
  });
});
