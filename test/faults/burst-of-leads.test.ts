import { disconnectAll } from '../support/connections/crm-b.ts';
import { aConnection, activityInTime, aLeadBurst, deliverAll, passTimeUntilIst } from '../support/leads/leads.ts';
import { anOrg, stores, type TestOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { crmB, deadLettersOf, eventually, passTime, voice } from '../support/stack/stack.ts';
import { aConsentedConnection, expectWrittenOnce, newLead } from './support/crm-b.ts';
import { CREDITS } from './support/probes.ts';
import { expectAllKept, settle } from './support/promises.ts';
import { isMatrix } from './support/rounds.ts';

/** `npm run test:matrix` sends many more. */
const DELIVERIES = isMatrix ? 2_000 : 20;

/** Lead ids per notification, and notifications of new leads and of edits. */
const [IDS, CREATIONS, EDITS] = isMatrix ? [50, 35, 15] : [8, 2, 1];
const EVENTS = IDS * (CREATIONS + EDITS);
/** Concurrent notifications. */
const AT_ONCE = 5;
/** Lifetime of an access token. */
const FRESH_SECONDS = 3_600 - 300;
const EXPIRIES = isMatrix ? 3 : 1;
/** Delay of every request to CRM-B in real milliseconds, so that requests overlap. */
const LATENCY_MS = 50;
/** Concurrency of process-lead (lib/functions.ts). */
const LEADS_AT_ONCE = 7;
/** Turns at one connection (docs/call-lifecycle.md, "One slow receiver"). */
const SYNCS_AT_ONCE = 3;

type Entries = Awaited<ReturnType<typeof activityInTime>>;

/** Fails unless all calls that the entries queued are completed. @returns the called phones. */
async function expectCompleted(org: TestOrg, called: Entries): Promise<string[]> {
  const probes = called.map(({ call_id = '' }) => ({ org, phone: '', callId: call_id }));
  await settle(probes, { step: 20, minutes: 180 });
  const calls = await expectAllKept(probes);
  expect(calls.filter(({ status }) => status !== 'completed')).toEqual([]);
  expect((await stores.organizations.get(org.orgId))?.held).toBe(0);
  return calls.map(({ phone_number }) => phone_number);
}

describe('a burst of leads', () => {
  // Far from midnight IST: a lead repeated on the next day is called again.
  beforeAll(async () => {
    await passTimeUntilIst('08:00');
    await voice.settings({ speed: 200, slots: 100 });
    await voice.defaultScript({ behaviour: 'answer' });
  });
  afterAll(() => crmB.settings({ latencyMilliseconds: 0 }));

  it(`of CRM-A, ${DELIVERIES} concurrent deliveries, a fifth of them repeated, a tenth of the phones shared: calls each phone exactly once`, async () => {
    const org = await anOrg({ credits: CREDITS });
    const connected = await aConnection({}, org);
    const { bodies, leads, phones } = aLeadBurst(DELIVERIES);
    const { byNumber: before } = await voice.allRings();
    const statuses = await deliverAll(connected, bodies);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);

    const entries = await activityInTime(connected, DELIVERIES);
    expect(entries).toHaveLength(DELIVERIES);
    expect(new Set(entries.map(({ lead_id }) => lead_id)).size).toBe(leads);
    const counted = Object.groupBy(entries, ({ outcome }) => outcome);
    const blocked = [counted.phone_already_called, counted.already_called, counted.already_called_race];
    expect(blocked.flatMap((some = []) => some)).toHaveLength(DELIVERIES - phones.length);

    const called = await expectCompleted(org, counted['call queued'] ?? []);
    expect(called.sort()).toEqual([...phones].sort());
    const { byNumber } = await voice.allRings();
    expect(phones.filter((phone) => (byNumber[phone] ?? 0) - (before[phone] ?? 0) !== 1)).toEqual([]);
    expect(await deadLettersOf('lead-events')).toBe(0);
  });

  it(`of CRM-B, ${EVENTS} ids in ${CREATIONS + EDITS} notifications, with edits of the same leads: calls each lead once, with few concurrent requests to CRM-B and one token refresh per expiry`, async () => {
    const connected = await aConsentedConnection({
      limits: { max_wait_minutes: 24 * 60 },
      assistant: { max_duration_seconds: 120 },
    });
    const { org, connection } = connected;
    const phones = Array.from({ length: IDS * CREATIONS }, () => aPhoneNumber());
    const earlier = { requests: (await crmB.requests()).length, notifications: (await crmB.notifications()).length };
    await crmB.settings({ latencyMilliseconds: LATENCY_MS, notifications: { idsPerNotification: IDS } });
    // The first requests wait together, however slow the machine is.
    await crmB.fault({ route: 'GET /crm/v8/Leads/{id}', kind: 'slow', seconds: 2, times: LEADS_AT_ONCE });
    // The first request must refresh the access token.
    await passTime(FRESH_SECONDS + 10);

    const put = async (changes: Parameters<typeof crmB.putLeads>[0]) => {
      const ids: string[] = [];
      for (let start = 0; start < changes.length; start += AT_ONCE * IDS) {
        ids.push(...(await crmB.putLeads(changes.slice(start, start + AT_ONCE * IDS))));
        await crmB.untilIdle();
      }
      return ids;
    };
    const leads = await put(phones.map((phone) => newLead(connected, phone)));
    // Spread over all leads, so that some are already called and some are not.
    const edited = leads.filter(
      (_, index) => Math.floor((index * EDITS) / CREATIONS) !== Math.floor(((index - 1) * EDITS) / CREATIONS),
    );
    expect(edited).toHaveLength(EDITS * IDS);
    await put(edited.map((id) => ({ id, fields: { City: 'Pune' } })));
    const sent = (await crmB.notifications()).slice(earlier.notifications);
    expect(sent.map(({ ids, answers }) => [ids.length, answers])).toEqual(
      Array.from({ length: CREATIONS + EDITS }, () => [IDS, [200]]),
    );

    for (let expiry = 1; expiry < EXPIRIES; expiry += 1) {
      await eventually(
        () => stores.activity.list(connection.connection_id),
        ({ length }) => length >= (EVENTS * expiry) / EXPIRIES,
        600,
      );
      await passTime(FRESH_SECONDS + 10);
    }
    const entries = await activityInTime(connected, EVENTS);
    expect(entries).toHaveLength(EVENTS);
    const counted = Object.groupBy(entries, ({ outcome }) => outcome);
    const queued = counted['call queued'] ?? [];
    expect(queued.map(({ lead_id }) => lead_id).sort()).toEqual([...leads].sort());
    const blocked = [counted.already_called, counted.already_called_race].flatMap((some = []) => some);
    expect(blocked.map(({ lead_id }) => lead_id).sort()).toEqual([...edited].sort());

    const called = await expectCompleted(org, queued);
    expect(called.sort()).toEqual([...phones].sort());
    const { byNumber } = await voice.allRings();
    expect(phones.filter((phone) => byNumber[phone] !== 1)).toEqual([]);
    await expectWrittenOnce(leads);

    const requests = (await crmB.requests()).slice(earlier.requests);
    expect(requests.filter(({ answer }) => typeof answer !== 'number' || answer >= 400)).toEqual([]);
    expect(requests.filter(({ route }) => route === 'POST /oauth/v2/token')).toHaveLength(EXPIRIES);
    expect(await crmB.mostInFlight('GET /crm/v8/Leads/{id}')).toBeLessThanOrEqual(LEADS_AT_ONCE);
    expect(await crmB.mostInFlight('POST /crm/v8/Calls')).toBeLessThanOrEqual(SYNCS_AT_ONCE);
    expect(await crmB.mostInFlight()).toBeLessThanOrEqual(LEADS_AT_ONCE + SYNCS_AT_ONCE);
    expect(await crmB.mostInFlight()).toBeGreaterThan(LEADS_AT_ONCE / 2);
    expect(await deadLettersOf('lead-events')).toBe(0);
    expect(await deadLettersOf('crm-b-sync')).toBe(0);
    await disconnectAll([connected]);
  });
});
