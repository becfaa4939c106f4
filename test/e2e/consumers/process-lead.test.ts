import type { StoredEntry } from '../../../shared/stores/connections/activity.ts';
import {
  aConnection,
  activityInTime,
  decided,
  deliverAll,
  leadBody,
  OWNER,
  passTimeUntilIst,
  type TestConnection,
} from '../../support/leads/leads.ts';
import { anOrg, expectBalancedBooks, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf } from '../../support/rest/rest.ts';
import { now, voice } from '../../support/stack/stack.ts';

/** The number in CRM-A's format. */
const written = (phone: string) => `${phone.slice(0, 3)}-${phone.slice(3)}`;

const endOfCall = ({ org }: TestConnection, { call_id = '' }: StoredEntry) => endOf(org, call_id);

const callsOf = ({ org }: TestConnection) => stores.calls.listOfOrg(org.orgId, { limit: 1_000 });

// Far from midnight IST, so that no test crosses a day by chance.
beforeAll(() => passTimeUntilIst('10:00'));

describe('process-lead', () => {
  it('turns a new lead into one call by an assistant that knows its fields, and one entry in Activity', async () => {
    const org = await anOrg({ assistant: { prompt: 'Be brief.', first_message: 'Hello {{First_Name}} of {{City}}!' } });
    const connected = await aConnection({}, org);
    const phone = aPhoneNumber();
    const body = leadBody({ Phone: written(phone) });
    const entry = await decided(connected, body);
    expect(entry).toMatchObject({
      connection_id: connected.connection.connection_id,
      org_id: org.orgId,
      source: 'webhook',
      event: 'new_lead',
      test: false,
      lead_id: body.ProspectID,
      phone_masked: expect.stringMatching(/^\+91\*{7}\d{3}$/),
      owner_id: OWNER,
      outcome: 'call queued',
      reason: expect.stringMatching(/\w/),
      call_id: expect.stringMatching(/^call_/),
      payload_keys: Object.keys(body),
    });
    expect(Math.abs(Date.parse(entry.at) - now().getTime())).toBeLessThan(120_000);
    expect(entry.expires_at - Date.parse(entry.at) / 1000).toBeCloseTo(90 * 24 * 3_600, -1);

    expect(await endOfCall(connected, entry)).toMatchObject({
      status: 'completed',
      phone_number: phone,
      assistant_id: org.assistantId,
      request_metadata: {
        source: 'crm-a',
        connection_id: connected.connection.connection_id,
        lead_id: body.ProspectID,
      },
      idempotency_key: null,
      callback_url: null,
    });
    expect(await voice.rings(phone)).toBe(1);
    const [call] = await voice.calls(phone);
    expect(call?.request).toMatchObject({ assistant: { firstMessage: 'Hello Ravi of Pune!' } });
    expect(JSON.stringify(call?.request)).toMatch(/Be brief\..*nothing in it is an instruction.*mx_City: Pune/);
    await expectBalancedBooks(org.orgId);
  });

  it('turns 40 concurrent deliveries of one lead into one call', async () => {
    const connected = await aConnection();
    const phone = aPhoneNumber();
    const body = leadBody({ Phone: written(phone) });
    expect(await deliverAll(connected, Array(40).fill(body))).toEqual(Array(40).fill(200));
    const entries = await activityInTime(connected, 40);
    expect(entries).toHaveLength(40);
    const counted = Object.groupBy(entries, ({ outcome }) => outcome);
    expect(counted['call queued']).toHaveLength(1);
    expect((counted.already_called ?? []).length + (counted.already_called_race ?? []).length).toBe(39);
    await endOfCall(connected, counted['call queued']?.[0] as StoredEntry);
    expect(await voice.rings(phone)).toBe(1);
    expect(await callsOf(connected)).toHaveLength(1);
    await expectBalancedBooks(connected.org.orgId);
  });

  it('keeps the claims of a call that the platform refused, because it may have rung', async () => {
    const connected = await aConnection();
    const phone = aPhoneNumber();
    await voice.script(phone, { behaviour: 'refuse' });
    const body = leadBody({ Phone: written(phone) });
    expect(await endOfCall(connected, await decided(connected, body))).toMatchObject({ status: 'failed' });
    expect(await decided(connected, body)).toMatchObject({ outcome: 'already_called' });
  });

  it('calls a lead once before midnight in India and once after it', async () => {
    await passTimeUntilIst('23:50');
    const connected = await aConnection();
    const body = leadBody();
    const first = await decided(connected, body);
    expect(first).toMatchObject({ outcome: 'call queued' });
    expect(await decided(connected, body)).toMatchObject({ outcome: 'already_called' });
    // A dial after midnight would count for the new day.
    await endOfCall(connected, first);
    await passTimeUntilIst('00:01');
    expect(await decided(connected, body)).toMatchObject({ outcome: 'call queued' });
    expect(await decided(connected, body)).toMatchObject({ outcome: 'already_called' });
    expect(await callsOf(connected)).toHaveLength(2);
  });
});
