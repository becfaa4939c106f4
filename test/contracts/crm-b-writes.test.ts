import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import type { Fault } from '../../local/simulators/crm-b/faults.ts';
import { startCrmBSimulator } from '../../local/simulators/crm-b/server.ts';
import { defaultClient } from '../../local/simulators/zoho-accounts/model.ts';
import { callLogOf, noteOf } from '../../shared/domain/after-call/crm-b-record.ts';
import { type CrmBAccess, crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { crmBCallLogs } from '../../shared/integrations/crm-b/call-log.ts';
import { crmBNotes } from '../../shared/integrations/crm-b/note.ts';
import { aToken } from '../support/access-token.ts';

/** Long enough for a busy machine; tests wait this long if the CRM does not answer. */
const TIMEOUT_MS = 2_000;

const simulator = await startCrmBSimulator();
const control = crmBControl(simulator.url);
const api = crmBApi({ timeoutMs: TIMEOUT_MS });
const callLogs = crmBCallLogs(api);
const notes = crmBNotes(api);

const call = { call_id: 'call_0123456789abcdef0123456789abcdef', assistant_name: 'Asha', duration: 42 };
const entry = callLogOf({ ...call, started_at: '2026-01-05T05:00:00.123Z' }) as NonNullable<
  ReturnType<typeof callLogOf>
>;
const note = (transcript: string) => noteOf(call, { transcript }) as NonNullable<ReturnType<typeof noteOf>>;

let access: CrmBAccess;
let lead = '';

beforeEach(async () => {
  await control.reset();
  const { accessToken } = await control.grant({
    clientId: defaultClient.id,
    scopes: [
      'ZohoCRM.modules.leads.READ',
      'ZohoCRM.modules.calls.CREATE',
      'ZohoCRM.modules.calls.READ',
      'ZohoCRM.modules.notes.CREATE',
      'ZohoCRM.modules.notes.READ',
    ],
  });
  access = { apiDomain: simulator.url, token: async () => aToken(accessToken) };
  lead = await control.createLead({ Last_Name: 'Iyer' });
});

afterAll(() => simulator.stop());

const kinds = {
  'call log': {
    route: 'POST /crm/v8/Calls',
    create: () => callLogs.create(access, lead, entry),
    find: (id = call.call_id) => callLogs.find(access, lead, id),
    written: () => control.calls(lead),
    lists: ['GET /crm/v8/Leads/{id}/Calls_History', 'GET /crm/v8/Leads/{id}/Calls'],
  },
  note: {
    route: 'POST /crm/v8/Leads/{id}/Notes',
    create: () => notes.create(access, lead, note('Namaste.')),
    find: (id = call.call_id) => notes.find(access, lead, id),
    written: () => control.notes(lead),
    lists: ['GET /crm/v8/Leads/{id}/Notes'],
  },
};

describe('a call log in CRM-B', () => {
  it('appears on its lead, to the minute and in Indian time, and triggers no automation', async () => {
    const written = await kinds['call log'].create();
    const [found] = await control.calls(lead);
    expect(written).toEqual({ kind: 'written', id: found?.id });
    expect(found).toMatchObject({
      leadId: lead,
      trigger: [],
      record: {
        Subject: `Call by Asha, ${call.call_id}`,
        Call_Type: 'Outbound',
        Call_Start_Time: '2026-01-05T10:30:00+05:30',
        Call_Duration: '00:01',
        $se_module: 'Leads',
      },
    });
  });

  it.each([1, 59, 60, 119, 3599, 3600, 36_000])('is accepted for a call of %i seconds', async (duration) => {
    const taken = callLogOf({ ...call, duration, started_at: '2026-01-05T05:00:00.000Z' });
    expect(taken && (await callLogs.create(access, lead, taken))).toMatchObject({ kind: 'written' });
  });

  it('is refused for a deleted lead', async () => {
    await control.deleteLead(lead);
    expect(await kinds['call log'].create()).toEqual({ kind: 'refused', code: 'INVALID_DATA' });
  });
});

describe('a note in CRM-B', () => {
  it.each([
    ['in one script', 'a'.repeat(100_000)],
    ['in pairs of surrogates', '😀'.repeat(50_000)],
    ['in pairs that do not fall in with the limit', `a${'😀'.repeat(50_000)}`],
  ])('is accepted with a transcript of any length, %s', async (_, transcript) => {
    expect(await notes.create(access, lead, note(transcript))).toMatchObject({ kind: 'written' });
    const [found] = await control.notes(lead);
    expect(found).toMatchObject({ trigger: [], leadId: lead });
    expect(String(found?.record.Note_Title)).toMatch(new RegExp(`${call.call_id}$`));
  });

  it('is refused with one character above the limit', async () => {
    expect(await notes.create(access, lead, { title: 'x', content: 'a'.repeat(32_001) })).toEqual({
      kind: 'refused',
      code: 'INVALID_DATA',
    });
  });

  it('is refused for a deleted lead', async () => {
    await control.deleteLead(lead);
    expect(await kinds.note.create()).toEqual({ kind: 'refused', code: 'INVALID_DATA' });
  });
});

describe.each(Object.entries(kinds))('writing a %s', (_what, { route, create, find, written, lists }) => {
  it.each<[string, Omit<Fault, 'route'>, object, number]>([
    ['429', { kind: 'too-many-requests' }, { kind: 'unavailable' }, 0],
    ['a token that is refused twice', { kind: 'invalid-token', times: 2 }, { kind: 'unavailable' }, 0],
    [
      'an item error on a 2xx',
      { kind: 'item-error', error: 'DUPLICATE_DATA' },
      { kind: 'refused', code: 'DUPLICATE_DATA' },
      0,
    ],
    [
      'an item error on 400',
      { kind: 'item-error', error: 'INVALID_DATA', status: 400 },
      { kind: 'refused', code: 'INVALID_DATA' },
      0,
    ],
    ['500 before the work', { kind: 'server-error' }, { kind: 'unknown' }, 0],
    ['500 after the work', { kind: 'server-error-after' }, { kind: 'unknown' }, 1],
    ['a connection dropped before the work', { kind: 'drop' }, { kind: 'unknown' }, 0],
    ['a connection dropped after the work', { kind: 'drop-after' }, { kind: 'unknown' }, 1],
    ['no answer and no work', { kind: 'hang' }, { kind: 'unknown' }, 0],
    ['no answer after the work', { kind: 'hang-after' }, { kind: 'unknown' }, 1],
    ['half an answer', { kind: 'cut-after' }, { kind: 'unknown' }, 1],
    ['HTML on a 200', { kind: 'html', status: 200 }, { kind: 'unknown' }, 0],
  ])(
    'has the expected outcome after %s, and the lookup finds exactly the record it left',
    async (_, fault, outcome, count) => {
      await control.fault({ route, ...fault });
      expect(await create()).toMatchObject(outcome);
      const left = await written();
      expect(left).toHaveLength(count);
      expect(await find()).toEqual(count ? { kind: 'found', id: left[0]?.id } : { kind: 'absent' });
      expect(await control.requests(route)).toHaveLength(fault.times ?? 1);
    },
  );

  it('is not sent if no server listens', async () => {
    access = { ...access, apiDomain: 'http://127.0.0.1:9' };
    expect(await create()).toMatchObject({ kind: 'unavailable' });
  });

  it('is refused without the scope, which no other token has', async () => {
    const { accessToken } = await control.grant({ clientId: defaultClient.id, scopes: ['ZohoCRM.users.READ'] });
    access = { ...access, token: async () => aToken(accessToken) };
    expect(await create()).toEqual({ kind: 'refused', code: 'OAUTH_SCOPE_MISMATCH' });
  });

  it('says that a new consent is needed if the grant is gone', async () => {
    const noToken = { kind: 'reconnect_needed' as const, reason: 'revoked' };
    access = { ...access, token: async () => noToken };
    expect([await create(), await find()]).toEqual([noToken, noToken]);
  });

  it('finds our record among others, even on the last page, and no record of another call', async () => {
    const others = Array.from({ length: 100 }, (_, index) => ({
      Subject: `${call.call_id} ${index}`,
      Note_Title: `${call.call_id} ${index}`,
      Note_Content: 'x',
      Call_Type: 'Outbound',
      Call_Start_Time: '2026-01-05T10:30:00+05:30',
      Call_Duration: '00:01',
      What_Id: lead,
      $se_module: 'Leads',
    }));
    for (let batch = 0; batch < 4; batch += 1)
      await api(access, {
        method: 'POST',
        path: route.split(' ')[1]?.replace('{id}', lead) ?? '',
        json: { data: others },
      });
    expect(await find()).toEqual({ kind: 'absent' });
    await create();
    expect(await find()).toEqual({ kind: 'found', id: (await written()).at(-1)?.id });
    expect(await find('call_other')).toEqual({ kind: 'absent' });
  });

  it.each<[string, Omit<Fault, 'route'>]>([
    ['429', { kind: 'too-many-requests' }],
    ['500', { kind: 'server-error' }],
    ['no answer', { kind: 'hang' }],
    ['half an answer', { kind: 'cut-after' }],
    ['a token that is refused twice', { kind: 'invalid-token', times: 2 }],
  ])('never treats %s as an absence', async (_, fault) => {
    await create();
    await control.fault({ route: lists[0] ?? '', ...fault });
    expect(await find()).toMatchObject({ kind: 'unavailable' });
  });

  it('distinguishes a deleted lead from an absence', async () => {
    await control.deleteLead(lead);
    expect(await find()).toEqual({ kind: 'refused', code: 'INVALID_DATA' });
  });
});
