import { aConnection, activityInTime, aLeadBurst, deliverAll, passTimeUntilIst } from '../support/leads.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { deadLettersOf, voice } from '../support/stack.ts';
import { CREDITS, expectAllKept, isMatrix, settle } from './support/rounds.ts';

import.meta.jest.setTimeout(isMatrix ? 1_500_000 : 900_000);

/** `npm run test:matrix` sends many more. */
const DELIVERIES = isMatrix ? 2_000 : 200;

describe('a burst of leads', () => {
  // Far from midnight IST: a lead repeated on the next day is called again.
  beforeAll(() => passTimeUntilIst('10:00'));

  it(`${DELIVERIES} concurrent deliveries, a fifth of them repeated, a tenth of the phones shared: calls each phone exactly once`, async () => {
    await voice.settings({ speed: 200, slots: 100 });
    await voice.defaultScript({ behaviour: 'answer' });
    const org = await anOrg({ credits: CREDITS });
    const connected = await aConnection({}, org);
    const { bodies, leads, phones } = aLeadBurst(DELIVERIES);
    const { byNumber: before } = await voice.allRings();
    const statuses = await deliverAll(connected, bodies);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);

    const entries = await activityInTime(connected, DELIVERIES);
    expect(entries).toHaveLength(DELIVERIES);
    const counted = Object.groupBy(entries, ({ outcome }) => outcome);
    expect(new Set(entries.map(({ lead_id }) => lead_id)).size).toBe(leads);
    expect(counted['call queued']).toHaveLength(phones.length);
    const blocked = [counted.phone_already_called, counted.already_called, counted.already_called_race];
    expect(blocked.flatMap((some = []) => some)).toHaveLength(DELIVERIES - phones.length);

    const probes = (counted['call queued'] ?? []).map(({ call_id = '' }) => ({ org, phone: '', callId: call_id }));
    await settle(probes, { step: 20, minutes: 120 });
    const calls = await expectAllKept(probes);
    expect(calls.filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(calls.map(({ phone_number }) => phone_number).sort()).toEqual([...phones].sort());
    const { byNumber } = await voice.allRings();
    expect(phones.filter((phone) => (byNumber[phone] ?? 0) - (before[phone] ?? 0) !== 1)).toEqual([]);
    expect(await deadLettersOf('leads')).toBe(0);
    expect((await stores.organizations.get(org.orgId))?.held).toBe(0);
  });
});
