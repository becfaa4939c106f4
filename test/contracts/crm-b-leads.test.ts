import type { CrmBAccess } from '../../shared/integrations/crm-b/api.ts';
import { leadsChangedBetween, leadsWithDisposition } from '../../shared/integrations/crm-b/coql.ts';
import { getLead, getLeadBriefly } from '../../shared/integrations/crm-b/lead-record.ts';
import { aToken } from '../support/connections/access-token.ts';
import { api, apiFor, startCrmBWithAccess, unreachable } from './support/crm-b.ts';

const { accessWith, accessWithout, begin, control, end, tokenWith } = await startCrmBWithAccess();

const scopes = ['ZohoCRM.modules.leads.READ', 'ZohoCRM.coql.READ'];
const oneLead = 'GET /crm/v8/Leads/{id}';
const coql = 'POST /crm/v8/coql';
const owner = '554000000000102';

let access: CrmBAccess;
/** The first token of the access. */
let first: string;
/** The refused tokens. */
let rejections: string[];

beforeEach(async () => {
  await begin();
  first = await tokenWith(...scopes);
  rejections = [];
  access = {
    ...accessWith(first),
    async token(rejected) {
      if (rejected === undefined) return aToken(first);
      rejections.push(rejected);
      return aToken(await tokenWith(...scopes));
    },
  };
});

afterAll(end);

const aLead = (fields: Record<string, unknown> = {}) => control.createLead({ Last_Name: 'Rao', ...fields }, { owner });
const namedLeads = (count: number, fields: Record<string, unknown> = {}) =>
  control.putLeads(
    Array.from({ length: count }, (_, index) => ({
      fields: { Last_Name: `L${index}`, ...fields },
      owner,
      quiet: true,
    })),
  );

describe('a lead', () => {
  it('has its first phone, its owner and its context, and no other data', async () => {
    const context = {
      First_Name: 'Asha',
      Last_Name: 'Rao',
      Company: 'Rao & Sons',
      Email: 'asha@example.com',
      City: 'Pune',
      Description: 'Wants\na call',
    };
    const others = { Mobile: '98123 45678', Phone: '+91 11 2345 6789', Rating: 'Hot', No_of_Employees: 12 };
    const id = await aLead({ ...context, ...others });
    expect(await getLead(api, access, id)).toEqual({
      kind: 'found',
      lead: {
        lead_id: id,
        phones: ['98123 45678'],
        owner_id: owner,
        owner_name: 'Vikram Nair',
        do_not_call: false,
        fields: { Full_Name: 'Asha Rao', ...context },
      },
      changedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
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
  ])('has the first phone that is not empty, and no second one: %j', async (fields, phones) => {
    expect(await getLead(api, access, await aLead(fields))).toMatchObject({ kind: 'found', lead: { phones } });
  });

  it.each([
    [true, true],
    ['true', true],
    ['Yes', true],
    [false, false],
    ['no', false],
    [null, false],
  ])('is marked as do-not-call only if the field of the CRM says so: %j is %s', async (Do_Not_Call, do_not_call) => {
    const found = await getLead(api, access, await aLead({ Do_Not_Call }));
    expect(found).toMatchObject({ kind: 'found', lead: { do_not_call } });
  });

  it('has values of limited length', async () => {
    const id = await aLead({ Last_Name: 'R'.repeat(80), Description: 'd'.repeat(32_000), City: ['Pune'] });
    const reading = await getLead(api, access, id);
    expect(reading).toMatchObject({ kind: 'found', lead: { fields: { Description: 'd'.repeat(500) } } });
    expect(reading).not.toHaveProperty('lead.fields.City');
  });

  it('is not found if it does not exist or was deleted', async () => {
    const id = await aLead();
    await control.deleteLead(id);
    for (const gone of [id, '1', '9999999999999999999'])
      expect(await getLead(api, access, gone)).toEqual({ kind: 'not_found' });
  });

  it.each([true, false])(
    'is not found once it was converted, whether CRM-B shows it (%s)',
    async (showsConvertedLeads) => {
      await control.settings({ showsConvertedLeads });
      const id = await aLead({ Mobile: '98123 45678' });
      expect(await getLead(api, access, id)).toMatchObject({ kind: 'found' });
      await control.editLead(id, { Converted__s: true });
      expect(await getLead(api, access, id)).toEqual({ kind: 'not_found' });
    },
  );

  it('is not requested if its id is impossible', async () => {
    for (const id of ['', 'x', '1/Notes', '../users', '1?fields=x', '%31', '1 ', '-1', '1'.repeat(20)])
      expect(await getLead(api, access, id)).toEqual({ kind: 'not_found' });
    expect(await control.requests(oneLead)).toEqual([]);
  });

  it.each(['NO_PERMISSION', 'INVALID_REQUEST'])('is unavailable if a 2xx contains the item error %s', async (error) => {
    await control.fault({ route: oneLead, kind: 'item-error', status: 202, error });
    expect(await getLead(api, access, await aLead())).toEqual({ kind: 'unavailable', reason: error });
  });

  it('is requested again with a new token if the first is refused', async () => {
    const id = await aLead();
    await control.revoke(first);
    expect(await getLead(api, access, id)).toMatchObject({ kind: 'found' });
    expect(rejections).toEqual([first]);
    expect(await control.requests(oneLead)).toHaveLength(2);
  });

  it('is not requested a third time', async () => {
    await control.fault({ route: oneLead, kind: 'invalid-token', times: null });
    expect(await getLead(api, access, await aLead())).toEqual({ kind: 'unavailable', reason: 'INVALID_TOKEN' });
    expect(await control.requests(oneLead)).toHaveLength(2);
  });
});

describe('a query for a disposition', () => {
  const wanted = { field: 'Call_Disposition', value: 'RNR', ownerId: owner };
  const query = (more: Partial<typeof wanted & { after: string }> = {}) =>
    leadsWithDisposition(api, access, { ...wanted, ...more });

  it('returns the leads of the owner whose field has the value, by id', async () => {
    const ids = await control.putLeads([
      { fields: { Last_Name: 'A', Call_Disposition: 'RNR' }, owner },
      { fields: { Last_Name: 'B', Call_Disposition: 'RNR' }, owner: '554000000000101' },
      { fields: { Last_Name: 'C', Call_Disposition: 'Hot' }, owner },
      { fields: { Last_Name: 'D', Call_Disposition: 'RNR' }, owner },
      { fields: { Last_Name: 'E' }, owner },
    ]);
    expect(await query()).toEqual({ kind: 'found', ids: [ids[0], ids[3]] });
    expect(await query({ after: ids[0] ?? '' })).toEqual({ kind: 'found', ids: [ids[3]] });
  });

  it('returns no leads if the CRM answers 204', async () => {
    expect(await query()).toEqual({ kind: 'found', ids: [] });
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
    const id = await aLead({ Call_Disposition: value });
    await aLead({ Call_Disposition: 'RNR' });
    expect(await query({ value })).toEqual({ kind: 'found', ids: [id] });
  });

  it('returns all pages and each lead once, despite the limit of a query', async () => {
    const ids = await namedLeads(2_500, { Call_Disposition: 'RNR' });
    expect(await query()).toEqual({ kind: 'found', ids: ids.slice(0, 2_000), next: ids[1_999] });
    expect(await query({ after: ids[1_999] ?? '' })).toEqual({ kind: 'found', ids: ids.slice(2_000) });
  });

  it("is refused with the CRM's error for an unknown field", async () => {
    expect(await query({ field: 'No_Such_Field' })).toEqual({ kind: 'refused', reason: 'INVALID_QUERY' });
  });

  it.each(['', "a' = 'a", 'a b', '1a', 'Owner.id', 'a-b'])(
    'is not sent for %j, which cannot be the name of a field',
    async (field) => {
      await expect(query({ field })).rejects.toThrow(RangeError);
      expect(await control.requests(coql)).toEqual([]);
    },
  );
});

const ago = (seconds: number) => new Date(Date.now() - 1000 * seconds);
const lately = () => ({ from: ago(60), to: ago(-60) });

describe('a query for changed leads', () => {
  const changed = (time: { from: Date; to: Date }, most: number) => leadsChangedBetween(api, access, time, most);

  it('returns the leads of the time span with their times of creation and change', async () => {
    const ids = await namedLeads(2);
    const lead = (await control.leads())[0];
    const created_at = new Date(String(lead?.Created_Time)).toISOString();
    const modified_at = new Date(String(lead?.Modified_Time)).toISOString();
    expect(await changed(lately(), 10)).toMatchObject({
      kind: 'found',
      leads: [{ id: ids[0], created_at, modified_at }, { id: ids[1] }],
      complete: true,
    });
    for (const time of [
      { from: ago(120), to: ago(60) },
      { from: ago(-60), to: ago(-120) },
    ])
      expect(await changed(time, 10)).toEqual({ kind: 'found', leads: [], complete: true });
  });

  it('compares whole seconds, both ends included, whatever the offset of the account', async () => {
    await control.settings({ offset: '-08:00' });
    const id = await aLead();
    const at = new Date(String((await control.leads())[0]?.Modified_Time));
    const late = new Date(at.getTime() + 999);
    expect(await changed({ from: late, to: late }, 10)).toMatchObject({ leads: [{ id }] });
  });

  it('returns the oldest change first, and reports whether more leads exist', async () => {
    const ids = await namedLeads(5);
    await control.editLead(ids[0] ?? '', { City: 'Pune' });
    const some = await changed(lately(), 3);
    expect(some).toMatchObject({ kind: 'found', complete: false });
    const all = await changed(lately(), 5);
    expect(all).toMatchObject({ kind: 'found', complete: true });
    if (some.kind !== 'found' || all.kind !== 'found') throw new Error('not found');
    expect(some.leads).toEqual(all.leads.slice(0, 3));
    expect(all.leads.map(({ id }) => id).sort()).toEqual(ids);
    const changes = all.leads.map(({ modified_at }) => modified_at);
    expect(changes).toEqual([...changes].sort());
  });

  it('returns each lead once, even if thousands change in the same second', async () => {
    const ids = await namedLeads(2_500);
    await control.settings({ coqlLimit: 2_000 });
    const found = await changed(lately(), 10_000);
    if (found.kind !== 'found') throw new Error(found.reason);
    expect(found.complete).toBe(true);
    expect(found.leads.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(await control.requests(coql)).toHaveLength(2);
  });
});

type Ask = (to: CrmBAccess, id: string, client?: typeof api) => Promise<unknown>;
const reads: { name: string; route: string; ask: Ask; refusal: object; withoutGrant: object }[] = [
  {
    name: 'a lead',
    route: oneLead,
    ask: (to, id, client = api) => getLead(client, to, id),
    refusal: { kind: 'unavailable', isFinal: true },
    withoutGrant: { needsConsent: true },
  },
  {
    name: 'leads with a disposition',
    route: coql,
    ask: (to, _id, client = api) =>
      leadsWithDisposition(client, to, { field: 'Call_Disposition', value: 'RNR', ownerId: owner }),
    refusal: { kind: 'refused' },
    withoutGrant: { needsConsent: true },
  },
  {
    name: 'changed leads',
    route: coql,
    ask: (to, _id, client = api) => leadsChangedBetween(client, to, lately(), 10),
    refusal: { kind: 'unavailable' },
    withoutGrant: {},
  },
];

it('a lead that is needed soon is unavailable, and its request cut short, if CRM-B is slower than the time limit', async () => {
  const id = await aLead();
  const faults = [{ kind: 'hang' }, { kind: 'drop' }] as const;
  const readings = [];
  for (const fault of faults) {
    await control.fault({ route: oneLead, ...fault });
    readings.push(await getLeadBriefly(apiFor(fault), access, id));
  }
  expect(readings).toEqual([
    { kind: 'unavailable', reason: 'ABORT_ERR', isCutShort: true },
    { kind: 'unavailable', reason: 'ECONNRESET' },
  ]);
});

describe.each(reads)('a request for $name', ({ route, ask, refusal, withoutGrant }) => {
  it.each([
    ['too many requests', { kind: 'too-many-requests' }, 'too many requests'],
    ['500', { kind: 'server-error' }, 'status 500'],
    ['503', { kind: 'server-error', status: 503 }, 'status 503'],
    ['a redirect', { kind: 'html', status: 302 }, 'status 302'],
    ['408', { kind: 'server-error', status: 408 }, 'status 408'],
    ['a page of a proxy', { kind: 'html', status: 502 }, 'status 502'],
    ['a page of a proxy that says 200', { kind: 'html', status: 200 }, 'not JSON'],
    ['no answer', { kind: 'hang' }, 'ABORT_ERR'],
    ['a connection that breaks', { kind: 'drop' }, 'ECONNRESET'],
    ['half an answer', { kind: 'cut-after' }, expect.any(String)],
  ] as const)('is reported as unavailable, and sent once, after %s', async (_what, fault, reason) => {
    const id = await aLead({ Call_Disposition: 'RNR' });
    await control.fault({ route, ...fault });
    expect(await ask(access, id, apiFor(fault))).toEqual({ kind: 'unavailable', reason });
    expect(await control.requests(route)).toHaveLength(1);
    expect(await ask(access, id)).toMatchObject({ kind: 'found' });
  });

  it('is unavailable if no server listens', async () => {
    expect(await ask(unreachable, '1')).toEqual({ kind: 'unavailable', reason: 'ECONNREFUSED' });
  });

  it('is refused with the reason if the token lacks the scope, without a try with another token', async () => {
    const token = aToken(await tokenWith('ZohoCRM.users.READ'));
    const requested: unknown[][] = [];
    const poor: CrmBAccess = {
      ...access,
      async token(...rejected) {
        requested.push(rejected);
        return token;
      },
    };
    expect(await ask(poor, await aLead())).toEqual({ ...refusal, reason: 'OAUTH_SCOPE_MISMATCH' });
    expect(requested).toEqual([[]]);
  });

  it('is refused if the grant is gone, and unavailable while no token is available', async () => {
    const revoked = accessWithout({ kind: 'reconnect_needed', reason: 'revoked' });
    expect(await ask(revoked, '1')).toEqual({ ...refusal, reason: 'revoked', ...withoutGrant });
    const busy = { kind: 'unavailable', reason: 'busy' } as const;
    expect(await ask(accessWithout(busy), '1')).toEqual(busy);
  });
});
