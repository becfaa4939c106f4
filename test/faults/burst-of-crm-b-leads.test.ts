import { disconnectAll } from '../support/crm-b.ts';
import { activityInTime, passTimeUntilIst } from '../support/leads.ts';
import { stores } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { crmB, deadLettersOf, eventually, passTime, voice } from '../support/stack.ts';
import { aConsentedConnection, expectWrittenOnce, newLead } from './support/crm-b.ts';
import { expectAllKept, isMatrix, settle } from './support/rounds.ts';

import.meta.jest.setTimeout(isMatrix ? 2_400_000 : 900_000);

/** `npm run test:matrix` sends 50 notifications of 50 ids each. */
const IDS = isMatrix ? 50 : 40;
const CREATIONS = isMatrix ? 35 : 4;
const EDITS = isMatrix ? 15 : 1;
const TOLD = IDS * (CREATIONS + EDITS);
/** Concurrent notifications. */
const AT_ONCE = 5;
/** Lifetime of an access token. */
const FRESH_SECONDS = 3_600 - 300;
const EXPIRIES = isMatrix ? 3 : 1;
/** Delay of every request to CRM-B in real milliseconds, so that requests overlap. */
const LATENCY_MS = 50;

/** Concurrency of the functions (lib/functions.ts). */
const LEADS_AT_ONCE = 7;
const SYNCS_AT_ONCE = 3;

describe('a burst of leads of CRM-B', () => {
  // Far from midnight IST: a lead edited on the next day is called again.
  beforeAll(() => passTimeUntilIst('08:00'));
  afterAll(async () => {
    await crmB.settings({ latencyMilliseconds: 0 });
  });

  it(`${TOLD} ids in ${CREATIONS + EDITS} notifications, edits of the same leads among them: calls each lead once, with few concurrent requests to CRM-B and one token refresh per expiry`, async () => {
    await voice.settings({ speed: 200, slots: 100 });
    await voice.defaultScript({ behaviour: 'answer' });
    const connected = await aConsentedConnection({
      limits: { max_wait_minutes: 24 * 60 },
      assistant: { max_duration_seconds: 120 },
    });
    const { org, connection } = connected;
    const phones = Array.from({ length: IDS * CREATIONS }, () => aPhoneNumber());
    const asked = (await crmB.requests()).length;
    const sent = (await crmB.notifications()).length;
    await crmB.settings({ latencyMilliseconds: LATENCY_MS, notifications: { idsPerNotification: IDS } });
    // The first ones wait together, however slow the machine is.
    await crmB.fault({ route: 'GET /crm/v8/Leads/{id}', kind: 'slow', seconds: 2, times: LEADS_AT_ONCE });
    // The first request must refresh the access token.
    await passTime(FRESH_SECONDS + 10);

    const leads: string[] = [];
    for (let start = 0; start < phones.length; start += AT_ONCE * IDS) {
      const some = phones.slice(start, start + AT_ONCE * IDS);
      leads.push(...(await crmB.putLeads(some.map((phone) => newLead(connected, phone)))));
      await crmB.untilIdle();
    }
    // Spread over all leads, so that some are called already and some are not.
    const edited = leads.filter(
      (_, index) => Math.floor((index * EDITS) / CREATIONS) !== Math.floor(((index - 1) * EDITS) / CREATIONS),
    );
    expect(edited).toHaveLength(EDITS * IDS);
    for (let start = 0; start < edited.length; start += AT_ONCE * IDS) {
      await crmB.putLeads(edited.slice(start, start + AT_ONCE * IDS).map((id) => ({ id, fields: { City: 'Pune' } })));
      await crmB.untilIdle();
    }
    const told = (await crmB.notifications()).slice(sent);
    expect(told.map(({ ids, answers }) => [ids.length, answers])).toEqual(
      Array.from({ length: CREATIONS + EDITS }, () => [IDS, [200]]),
    );

    for (let expiry = 1; expiry < EXPIRIES; expiry += 1) {
      await eventually(
        () => stores.activity.list(connection.connection_id),
        ({ length }) => length >= (TOLD * expiry) / EXPIRIES,
        600,
      );
      await passTime(FRESH_SECONDS + 10);
    }
    const entries = await activityInTime(connected, TOLD);
    expect(entries).toHaveLength(TOLD);
    const counted = Object.groupBy(entries, ({ outcome }) => outcome);
    const called = counted['call queued'] ?? [];
    expect(called.map(({ lead_id }) => lead_id).sort()).toEqual([...leads].sort());
    const blocked = [counted.already_called, counted.already_called_race].flatMap((some = []) => some);
    expect(blocked.map(({ lead_id }) => lead_id).sort()).toEqual([...edited].sort());

    const probes = called.map(({ call_id = '' }) => ({ org, phone: '', callId: call_id }));
    await settle(probes, { step: 20, minutes: 180 });
    const calls = await expectAllKept(probes);
    expect(calls.filter(({ status }) => status !== 'completed')).toEqual([]);
    const { byNumber } = await voice.allRings();
    expect(phones.filter((phone) => byNumber[phone] !== 1)).toEqual([]);
    await expectWrittenOnce(leads);

    const requests = (await crmB.requests()).slice(asked);
    expect(requests.filter(({ answer }) => typeof answer !== 'number' || answer >= 400)).toEqual([]);
    expect(requests.filter(({ route }) => route === 'POST /oauth/v2/token')).toHaveLength(EXPIRIES);
    expect(await crmB.mostInFlight('GET /crm/v8/Leads/{id}')).toBeLessThanOrEqual(LEADS_AT_ONCE);
    expect(await crmB.mostInFlight('POST /crm/v8/Calls')).toBeLessThanOrEqual(SYNCS_AT_ONCE);
    expect(await crmB.mostInFlight()).toBeLessThanOrEqual(LEADS_AT_ONCE + SYNCS_AT_ONCE);
    expect(await crmB.mostInFlight()).toBeGreaterThan(LEADS_AT_ONCE / 2);
    expect(await deadLettersOf('leads')).toBe(0);
    expect(await deadLettersOf('crm-b-sync')).toBe(0);
    await disconnectAll([connected]);
  });
});
