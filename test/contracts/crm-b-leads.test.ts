import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { type CrmBAccess, crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { leadsChangedBetween, leadsWithDisposition } from '../../shared/integrations/crm-b/coql.ts';
import { getLead } from '../../shared/integrations/crm-b/lead-record.ts';
import { aToken } from '../support/access-token.ts';

const simulator = await startCrmBSimulator();
const control = crmBControl(simulator.url);
/** Long enough for a busy machine; tests wait this long if the CRM does not answer. */
const api = crmBApi({ timeoutMs: 2_000 });
const patient = crmBApi({ timeoutMs: 10_000 });
const scopes = ['ZohoCRM.modules.leads.READ', 'ZohoCRM.coql.READ'];
const oneLead = 'GET /crm/v8/Leads/{id}';
const coql = 'POST /crm/v8/coql';

let access: CrmBAccess;
/** The token that the access has at first. */
let first: string;
/** The refused tokens. */
let rejections: (string | undefined)[];

const newToken = async (rights = scopes) =>
  (await control.grant({ clientId: defaultClient.id, scopes: rights })).accessToken;

beforeEach(async () => {
  await control.reset();
  await control.settings({ refreshTokensPerTenMinutes: 10_000 });
  first = await newToken();
  rejections = [];
  access = {
    apiDomain: simulator.url,
    async token(rejected) {
      if (rejected === undefined) return aToken(first);
      rejections.push(rejected);
      return aToken(await newToken());
    },
  };
});

afterAll(() => simulator.stop());

/** Temporary faults of the CRM, each with the expected reason. */
const faults = [
  ['too many requests', { kind: 'too-many-requests' }, 'too many requests'],
  ['500', { kind: 'server-error' }, 'status 500'],
  ['503', { kind: 'server-error', status: 503 }, 'status 503'],
  ['a page of a proxy', { kind: 'html', status: 502 }, 'status 502'],
  ['a page of a proxy that says 200', { kind: 'html', status: 200 }, 'not JSON'],
  ['no answer', { kind: 'hang' }, 'ABORT_ERR'],
  ['a connection that breaks', { kind: 'drop' }, 'ECONNRESET'],
  ['half an answer', { kind: 'cut-after' }, expect.any(String)],
] as const;

describe('a lead', () => {
  it('has its first phone, its owner and its context, and nothing else', async () => {
    const id = await control.createLead(
      {
        First_Name: 'Asha',
        Last_Name: 'Rao',
        Company: 'Rao & Sons',
        Email: 'asha@example.com',
        Mobile: '98123 45678',
        Phone: '+91 11 2345 6789',
        City: 'Pune',
        Description: 'Wants\na call',
        Rating: 'Hot',
        No_of_Employees: 12,
      },
      { owner: '554000000000102' },
    );
    expect(await getLead(api, access, id)).toEqual({
      kind: 'found',
      lead: {
        lead_id: id,
        phones: ['98123 45678'],
        owner_id: '554000000000102',
        do_not_call: false,
        fields: {
          Full_Name: 'Asha Rao',
          First_Name: 'Asha',
          Last_Name: 'Rao',
          Company: 'Rao & Sons',
          Email: 'asha@example.com',
          City: 'Pune',
          Description: 'Wants\na call',
        },
      },
    });
    expect(await control.requests(oneLead)).toMatchObject([{ path: `/crm/v8/Leads/${id}`, query: {} }]);
  });

  it.each([
    [{ Mobile: '1', Phone: '2', Secondary_Phone: '3', Home_Phone: '4' }, ['1']],
    [{ Mobile: null, Phone: '2', Secondary_Phone: '3', Home_Phone: '4' }, ['2']],
    [{ Mobile: '', Phone: ' ', Secondary_Phone: '3', Home_Phone: '4' }, ['3']],
    [{ Home_Phone: '4' }, ['4']],
    [{ Mobile: 9812345678, Phone: '2' }, ['9812345678']],
    [{}, []],
  ])('has the first phone that is not empty, and no second: %j', async (phones, expected) => {
    const id = await control.createLead({ Last_Name: 'Rao', ...phones });
    expect(await getLead(api, access, id)).toMatchObject({ kind: 'found', lead: { phones: expected } });
  });

  it.each([
    [true, true],
    ['true', true],
    ['Yes', true],
    [false, false],
    ['no', false],
    [null, false],
  ])('must not be called if a field of the CRM says so (%j)', async (Do_Not_Call, expected) => {
    const id = await control.createLead({ Last_Name: 'Rao', Do_Not_Call });
    expect(await getLead(api, access, id)).toMatchObject({ kind: 'found', lead: { do_not_call: expected } });
  });

  it('has values of limited length', async () => {
    const id = await control.createLead({ Last_Name: 'R'.repeat(80), Description: 'd'.repeat(32_000), City: ['Pune'] });
    const reading = await getLead(api, access, id);
    if (reading.kind !== 'found') throw new Error(reading.kind);
    expect(reading.lead.fields.Description).toBe('d'.repeat(500));
    expect(reading.lead.fields).not.toHaveProperty('City');
  });

  it('that does not exist, or was deleted, is not found', async () => {
    const id = await control.createLead({ Last_Name: 'Rao' });
    await control.deleteLead(id);
    for (const gone of [id, '1', '9999999999999999999'])
      expect(await getLead(api, access, gone)).toEqual({ kind: 'not_found' });
  });

  it('with an impossible id is not requested', async () => {
    for (const id of ['', 'x', '1/Notes', '../users', '1?fields=x', '%31', '1 ', '-1', '1'.repeat(20)])
      expect(await getLead(api, access, id)).toEqual({ kind: 'not_found' });
    expect(await control.requests(oneLead)).toEqual([]);
  });

  it.each(faults)('is unavailable by %s, and requested once', async (_what, fault, reason) => {
    const id = await control.createLead({ Last_Name: 'Rao' });
    await control.fault({ route: oneLead, ...fault });
    expect(await getLead(api, access, id)).toEqual({ kind: 'unavailable', reason });
    expect(await control.requests(oneLead)).toHaveLength(1);
    expect(await getLead(api, access, id)).toMatchObject({ kind: 'found' });
  });

  it('is unavailable if no server listens', async () => {
    const nowhere = { ...access, apiDomain: 'http://127.0.0.1:9' };
    expect(await getLead(api, nowhere, '1')).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
  });

  it.each(['NO_PERMISSION', 'INVALID_REQUEST'])('is unavailable if a 2xx contains the item error %s', async (error) => {
    const id = await control.createLead({ Last_Name: 'Rao' });
    await control.fault({ route: oneLead, kind: 'item-error', status: 202, error });
    expect(await getLead(api, access, id)).toEqual({ kind: 'unavailable', reason: error });
  });

  it('is unavailable, with the reason, without the scope, which no other token has', async () => {
    const id = await control.createLead({ Last_Name: 'Rao' });
    const poor = await newToken(['ZohoCRM.coql.READ']);
    const asked: unknown[] = [];
    const token = async (rejected?: string) => {
      asked.push(rejected);
      return aToken(poor);
    };
    expect(await getLead(api, { ...access, token }, id)).toEqual({
      kind: 'unavailable',
      reason: 'OAUTH_SCOPE_MISMATCH',
      isFinal: true,
    });
    expect(asked).toEqual([undefined]);
  });

  it.each([
    { kind: 'reconnect_needed', isFinal: true },
    { kind: 'unavailable', isFinal: undefined },
  ] as const)('is unavailable without a token, permanently if the grant is gone: $kind', async ({ kind, isFinal }) => {
    const token = async () => ({ kind, reason: 'no token' });
    expect(await getLead(api, { ...access, token }, '1')).toEqual({ kind: 'unavailable', reason: 'no token', isFinal });
  });

  it('is requested again with a new token if the first is refused', async () => {
    const id = await control.createLead({ Last_Name: 'Rao' });
    await control.revoke(first);
    expect(await getLead(api, access, id)).toMatchObject({ kind: 'found' });
    expect(rejections).toEqual([first]);
    expect(await control.requests(oneLead)).toHaveLength(2);
  });

  it('is not requested a third time', async () => {
    const id = await control.createLead({ Last_Name: 'Rao' });
    await control.fault({ route: oneLead, kind: 'invalid-token', times: null });
    expect(await getLead(api, access, id)).toEqual({ kind: 'unavailable', reason: 'INVALID_TOKEN' });
    expect(await control.requests(oneLead)).toHaveLength(2);
  });
});

describe('a query for a disposition', () => {
  const owner = '554000000000102';
  const wanted = { field: 'Call_Disposition', value: 'RNR', ownerId: owner };

  it('returns the leads of the owner whose field has the value, by id', async () => {
    const ids = await control.putLeads([
      { fields: { Last_Name: 'A', Call_Disposition: 'RNR' }, owner },
      { fields: { Last_Name: 'B', Call_Disposition: 'RNR' }, owner: '554000000000101' },
      { fields: { Last_Name: 'C', Call_Disposition: 'Hot' }, owner },
      { fields: { Last_Name: 'D', Call_Disposition: 'RNR' }, owner },
      { fields: { Last_Name: 'E' }, owner },
    ]);
    expect(await leadsWithDisposition(api, access, wanted)).toEqual({ kind: 'found', ids: [ids[0], ids[3]] });
    expect(await leadsWithDisposition(api, access, { ...wanted, after: ids[0] ?? '' })).toEqual({
      kind: 'found',
      ids: [ids[3]],
    });
  });

  it('returns no leads if the CRM answers 204', async () => {
    expect(await leadsWithDisposition(api, access, wanted)).toEqual({ kind: 'found', ids: [] });
  });

  it.each([
    "Didn't answer",
    "''",
    "' or id > '0",
    '"RNR"',
    'a\\',
    "a\\' or id is not null or City = \\'",
    '%',
    'RNR 😀',
  ])('returns the leads with exactly this value: %s', async (value) => {
    const [id] = await control.putLeads([
      { fields: { Last_Name: 'A', Call_Disposition: value }, owner },
      { fields: { Last_Name: 'B', Call_Disposition: 'RNR' }, owner },
    ]);
    expect(await leadsWithDisposition(api, access, { ...wanted, value })).toEqual({ kind: 'found', ids: [id] });
  });

  it('returns all pages and each lead once, despite the limit of a query', async () => {
    const ids = await control.putLeads(
      Array.from({ length: 2_500 }, (_, index) => ({
        fields: { Last_Name: `L${index}`, Call_Disposition: 'RNR' },
        owner,
        quiet: true,
      })),
    );
    const first = await leadsWithDisposition(patient, access, wanted);
    expect(first).toEqual({ kind: 'found', ids: ids.slice(0, 2_000), next: ids[1_999] });
    expect(await leadsWithDisposition(patient, access, { ...wanted, after: ids[1_999] ?? '' })).toEqual({
      kind: 'found',
      ids: ids.slice(2_000),
    });
  });

  it("is refused with the CRM's error for an unknown field", async () => {
    expect(await leadsWithDisposition(api, access, { ...wanted, field: 'No_Such_Field' })).toEqual({
      kind: 'refused',
      reason: 'INVALID_QUERY',
    });
  });

  it.each(['', "a' = 'a", 'a b', '1a', 'Owner.id', 'a-b'])(
    'is not sent for %j, which cannot be the name of a field',
    async (field) => {
      await expect(leadsWithDisposition(api, access, { ...wanted, field })).rejects.toThrow(RangeError);
      expect(await control.requests(coql)).toEqual([]);
    },
  );

  it('is refused without the scope or the grant', async () => {
    const token = await newToken(['ZohoCRM.modules.leads.READ']);
    expect(await leadsWithDisposition(api, { ...access, token: async () => aToken(token) }, wanted)).toEqual({
      kind: 'refused',
      reason: 'OAUTH_SCOPE_MISMATCH',
    });
    const gone = async () => ({ kind: 'reconnect_needed' as const, reason: 'the grant was revoked' });
    expect(await leadsWithDisposition(api, { ...access, token: gone }, wanted)).toEqual({
      kind: 'refused',
      reason: 'the grant was revoked',
    });
  });

  it.each(faults)('is unavailable by %s', async (_what, fault, reason) => {
    await control.createLead({ Last_Name: 'A', Call_Disposition: 'RNR' }, { owner });
    await control.fault({ route: coql, ...fault });
    expect(await leadsWithDisposition(api, access, wanted)).toEqual({ kind: 'unavailable', reason });
  });
});

describe('a query for changed leads', () => {
  const ago = (seconds: number) => new Date(Date.now() - 1000 * seconds);
  const lately = () => ({ from: ago(60), to: ago(-60) });

  it('returns the leads of the time span with their times of creation and change', async () => {
    const ids = await control.putLeads([{ fields: { Last_Name: 'A' } }, { fields: { Last_Name: 'B' } }]);
    const lead = (await control.leads())[0];
    expect(await leadsChangedBetween(api, access, lately(), 10)).toMatchObject({
      kind: 'found',
      leads: [
        {
          id: ids[0],
          created_at: new Date(String(lead?.Created_Time)).toISOString(),
          modified_at: new Date(String(lead?.Modified_Time)).toISOString(),
        },
        { id: ids[1] },
      ],
      complete: true,
    });
    for (const time of [
      { from: ago(120), to: ago(60) },
      { from: ago(-60), to: ago(-120) },
    ])
      expect(await leadsChangedBetween(api, access, time, 10)).toEqual({ kind: 'found', leads: [], complete: true });
  });

  it('has times in seconds, both ends included, whatever the offset of the account', async () => {
    await control.settings({ offset: '-08:00' });
    const id = await control.createLead({ Last_Name: 'A' });
    const at = new Date(String((await control.leads())[0]?.Modified_Time));
    const late = new Date(at.getTime() + 999);
    expect(await leadsChangedBetween(api, access, { from: late, to: late }, 10)).toMatchObject({ leads: [{ id }] });
  });

  it('returns the oldest change first, and reports whether more leads exist', async () => {
    const ids = await control.putLeads(
      Array.from({ length: 5 }, (_, index) => ({ fields: { Last_Name: `L${index}` } })),
    );
    await control.editLead(ids[0] ?? '', { City: 'Pune' });
    const some = await leadsChangedBetween(api, access, lately(), 3);
    expect(some).toMatchObject({ kind: 'found', complete: false });
    const all = await leadsChangedBetween(api, access, lately(), 5);
    expect(all).toMatchObject({ kind: 'found', complete: true });
    if (some.kind !== 'found' || all.kind !== 'found') throw new Error('not found');
    expect(some.leads).toEqual(all.leads.slice(0, 3));
    expect(all.leads.map(({ id }) => id).sort()).toEqual(ids);
    const changes = all.leads.map(({ modified_at }) => modified_at);
    expect(changes).toEqual([...changes].sort());
  });

  it('returns each lead once, even if thousands change in the same second', async () => {
    const ids = await control.putLeads(
      Array.from({ length: 2_500 }, (_, index) => ({ fields: { Last_Name: `L${index}` }, quiet: true })),
    );
    await control.settings({ coqlLimit: 2_000 });
    const found = await leadsChangedBetween(patient, access, lately(), 10_000);
    if (found.kind !== 'found') throw new Error(found.reason);
    expect(found.complete).toBe(true);
    expect(found.leads.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await control.requests(coql)).toHaveLength(2);
  });

  it.each(faults)('is unavailable by %s', async (_what, fault, reason) => {
    await control.createLead({ Last_Name: 'A' });
    await control.fault({ route: coql, ...fault });
    expect(await leadsChangedBetween(api, access, lately(), 10)).toEqual({ kind: 'unavailable', reason });
  });

  it('is unavailable without the scope', async () => {
    const token = await newToken(['ZohoCRM.modules.leads.READ']);
    expect(await leadsChangedBetween(api, { ...access, token: async () => aToken(token) }, lately(), 10)).toEqual({
      kind: 'unavailable',
      reason: 'OAUTH_SCOPE_MISMATCH',
    });
  });
});
