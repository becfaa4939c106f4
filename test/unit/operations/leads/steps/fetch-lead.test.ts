import type { Connection } from '../../../../../shared/domain/connections/connection.ts';
import type { CrmBreaker } from '../../../../../shared/domain/connections/crm-breaker.ts';
import { secondsAfter } from '../../../../../shared/domain/time/instants.ts';
import type { LeadReading } from '../../../../../shared/integrations/crm-b/lead-record.ts';
import { fetchLead } from '../../../../../shared/operations/leads/steps/fetch-lead.ts';
import {
  aCallingConnection,
  found,
  leadWorld,
  NOON,
  namedOnly,
  unavailable,
} from '../../../support/worlds/lead-world.ts';

const OPEN: CrmBreaker = { failures: 5, lead_id: '1', opened_at: NOON, not_before: NOON };

/** A connection with a breaker at noon, when the next request is due. */
function aBreaker(crm_breaker: CrmBreaker | undefined, answer: LeadReading) {
  const world = leadWorld({ connections: [aCallingConnection({ crm_breaker })] });
  world.crm = () => answer;
  const row = () => world.all('connections')[0] as Connection;
  const lead = namedOnly();
  const event = { event_id: 'evt_1', event: 'lead_edited', source: 'webhook', lead, test: false, at: NOON } as const;
  return Object.assign(world, { row, fetch: (connection = row()) => fetchLead(world.deps, event, connection) });
}

describe('a request for a lead', () => {
  it('writes no item about an answer if the breaker has no failures', async () => {
    const world = aBreaker(undefined, found());
    await world.fetch();
    expect(world.writes()).toEqual([]);
  });

  it('is not sent for a notification that was received while auto-call was off', async () => {
    const world = aBreaker(undefined, found());
    const off_times = [{ from: secondsAfter(NOON, -60), to: secondsAfter(NOON, 60) }];
    expect(await world.fetch({ ...world.row(), off_times })).toMatchObject({
      isUnread: true,
      wasOff: 'Auto-call was off when the service received this event.',
    });
    expect(world.fetched).toEqual([]);
  });

  it.each<[string, LeadReading]>([
    ['a lead', found()],
    ['no lead', { kind: 'not_found' }],
    ['a refusal', { kind: 'unavailable', reason: 'NO_PERMISSION', isFinal: true }],
  ])('closes the breaker by an answer: %s', async (_what, answer) => {
    const world = aBreaker(OPEN, answer);
    await world.fetch();
    expect(world.row().crm_breaker).toBeUndefined();
  });

  it.each<[string, CrmBreaker | undefined]>([
    ['without failures', undefined],
    ['that is nearly open', { failures: 4, lead_id: '1' }],
  ])('that is cut short says nothing about CRM-B, and leaves a breaker %s as it was', async (_which, breaker) => {
    const world = aBreaker(breaker, { ...unavailable('ABORT_ERR'), isCutShort: true } as LeadReading);
    expect(await world.fetch()).toMatchObject({ notFetched: { outcome: 'crm_unavailable' } });
    expect([world.row().crm_breaker, world.writes()]).toEqual([breaker, []]);
  });

  it('that is cut short and was the probe lets another worker probe', async () => {
    const world = aBreaker(OPEN, { ...unavailable('ABORT_ERR'), isCutShort: true } as LeadReading);
    await world.fetch();
    expect(world.row().crm_breaker).toEqual(OPEN);
  });

  it('is sent by one of several workers when the breaker admits a probe', async () => {
    const world = aBreaker(OPEN, unavailable('down'));
    const connection = world.row();
    await Promise.all(Array.from({ length: 7 }, () => world.fetch(connection)));
    expect(world.fetched).toHaveLength(1);
    expect(world.row().crm_breaker).toMatchObject({ failures: 6, opened_at: NOON });
  });

  it('is not sent for any lead before the time that CRM-B demands, and then by one worker', async () => {
    const world = aBreaker(undefined, { kind: 'unavailable', reason: 'too many requests', retryAfterSeconds: 600 });
    await world.fetch();
    world.pass(599);
    await world.fetch();
    expect(world.fetched).toHaveLength(1);
    world.pass(1);
    const connection = world.row();
    await Promise.all(Array.from({ length: 7 }, () => world.fetch(connection)));
    expect(world.fetched).toHaveLength(2);
  });

  it('is not sent while the breaker is open', async () => {
    const world = aBreaker({ ...OPEN, not_before: '2026-03-02T06:30:01.000Z' }, found());
    const reason = 'The lead could not be fetched from the CRM: it has not answered for some time.';
    expect(await world.fetch()).toMatchObject({ notFetched: { outcome: 'crm_unavailable', reason } });
    expect([world.fetched, world.writes()]).toEqual([[], []]);
  });

  it('names an ended consent as the reason', async () => {
    const refused = (more: object) => ({
      kind: 'unavailable' as const,
      reason: 'invalid_code',
      isFinal: true as const,
      ...more,
    });
    const reasonOf = async (answer: LeadReading) => (await aBreaker(undefined, answer).fetch()).notFetched?.reason;
    const start = 'The lead could not be fetched from the CRM:';
    expect(await reasonOf(refused({ needsConsent: true }))).toBe(`${start} its consent has ended (invalid_code).`);
    expect(await reasonOf(refused({}))).toBe(`${start} invalid_code.`);
  });
});
