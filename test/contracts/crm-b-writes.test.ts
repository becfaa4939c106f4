import type { Fault } from '../../local/simulators/crm-b/faults.ts';
import { callLogOf, noteOf } from '../../shared/domain/after-call/crm-b-record.ts';
import type { CrmBAccess } from '../../shared/integrations/crm-b/api.ts';
import { crmBCallLogs } from '../../shared/integrations/crm-b/call-log.ts';
import { crmBNotes } from '../../shared/integrations/crm-b/note.ts';
import { removeCrmBRecord } from '../../shared/integrations/crm-b/removal.ts';
import { api, apiFor, startCrmBWithAccess, unreachable } from './support/crm-b.ts';

const { accessWith, accessWithout, begin, control, end, tokenWith } = await startCrmBWithAccess();

const scopes = ['leads.READ', 'calls.CREATE', 'calls.READ', 'notes.CREATE', 'notes.READ'];
const call = { call_id: 'call_0123456789abcdef0123456789abcdef', assistant_name: 'Asha', duration: 42 };
const deletedLead = { kind: 'refused', code: 'INVALID_DATA' };

let access: CrmBAccess;
let lead: string;

beforeEach(async () => {
  await begin();
  access = accessWith(await tokenWith(...scopes.map((scope) => `ZohoCRM.modules.${scope}`)));
  lead = await control.createLead({ Last_Name: 'Iyer' });
});

afterAll(end);

const createLog = (duration = 42, client = api) => {
  const entry = callLogOf({ ...call, duration, started_at: '2026-01-05T05:00:00.123Z' });
  if (!entry) throw new Error('the call has no log');
  return crmBCallLogs(client).create(access, lead, entry);
};
const createNote = (transcript = 'Namaste.', client = api) => {
  const note = noteOf(call, { transcript });
  if (!note) throw new Error('the call has no note');
  return crmBNotes(client).create(access, lead, note);
};

const kinds = {
  'call log': {
    route: 'POST /crm/v8/Calls',
    create: (client = api) => createLog(undefined, client),
    find: (id = call.call_id, client = api) => crmBCallLogs(client).find(access, lead, id),
    written: () => control.calls(lead),
    list: 'GET /crm/v8/Leads/{id}/Calls_History',
  },
  note: {
    route: 'POST /crm/v8/Leads/{id}/Notes',
    create: (client = api) => createNote(undefined, client),
    find: (id = call.call_id, client = api) => crmBNotes(client).find(access, lead, id),
    written: () => control.notes(lead),
    list: 'GET /crm/v8/Leads/{id}/Notes',
  },
};

describe('a call log in CRM-B', () => {
  it('appears on its lead, to the minute and in Indian time, and triggers no automation', async () => {
    const written = await createLog();
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
    expect(await createLog(duration)).toMatchObject({ kind: 'written' });
  });
});

describe('a note in CRM-B', () => {
  it.each([
    ['in one script', 'a'.repeat(100_000)],
    ['in pairs of surrogates', '😀'.repeat(50_000)],
    ['in pairs that the limit would split', `a${'😀'.repeat(50_000)}`],
  ])('is accepted with a transcript of any length, %s', async (_, transcript) => {
    expect(await createNote(transcript)).toMatchObject({ kind: 'written' });
    const [found] = await control.notes(lead);
    expect(found).toMatchObject({ trigger: [], leadId: lead });
    expect(String(found?.record.Note_Title)).toMatch(new RegExp(`${call.call_id}$`));
  });

  it('is refused with one character above the limit', async () => {
    const tooLong = { title: 'x', content: 'a'.repeat(32_001) };
    expect(await crmBNotes(api).create(access, lead, tooLong)).toEqual({ kind: 'refused', code: 'INVALID_DATA' });
  });
});

describe.each(Object.entries(kinds))('writing a %s', (_what, { route, create, find, written, list }) => {
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
    ...[202, 207, 400].flatMap((status): [string, Omit<Fault, 'route'>, object, number][] => [
      [
        `a limit on ${status}`,
        { kind: 'item-error', error: 'RATE_LIMIT_EXCEEDED', status },
        { kind: 'unavailable' },
        0,
      ],
      [
        `an internal error on ${status}`,
        { kind: 'item-error', error: 'INTERNAL_ERROR', status },
        { kind: 'unknown' },
        0,
      ],
      [
        `a locked record on ${status}`,
        { kind: 'item-error', error: 'RECORD_LOCKED', status },
        { kind: 'unavailable' },
        0,
      ],
    ]),
    ['500 before the work', { kind: 'server-error' }, { kind: 'unknown' }, 0],
    ['500 after the work', { kind: 'server-error-after' }, { kind: 'unknown' }, 1],
    ['a connection dropped before the work', { kind: 'drop' }, { kind: 'unknown' }, 0],
    ['a connection dropped after the work', { kind: 'drop-after' }, { kind: 'unknown' }, 1],
    ['no answer and no work', { kind: 'hang' }, { kind: 'unknown' }, 0],
    ['no answer after the work', { kind: 'hang-after' }, { kind: 'unknown' }, 1],
    ['half an answer', { kind: 'cut-after' }, { kind: 'unknown' }, 1],
    ['HTML on a 200', { kind: 'html', status: 200 }, { kind: 'unknown' }, 0],
  ])(
    'has the expected outcome after %s, and the lookup finds exactly the stored record',
    async (_, fault, outcome, count) => {
      await control.fault({ route, ...fault });
      expect(await create(apiFor(fault))).toMatchObject(outcome);
      const left = await written();
      expect(left).toHaveLength(count);
      expect(await find()).toEqual(count ? { kind: 'found', id: left[0]?.id } : { kind: 'absent' });
      expect(await control.requests(route)).toHaveLength(fault.times ?? 1);
    },
  );

  it('is not sent if no server listens', async () => {
    access = unreachable;
    expect(await create()).toMatchObject({ kind: 'unavailable' });
  });

  it('is refused without the scope, without a try with another token', async () => {
    access = accessWith(await tokenWith('ZohoCRM.users.READ'));
    expect(await create()).toEqual({ kind: 'refused', code: 'OAUTH_SCOPE_MISMATCH' });
  });

  it('reports that a new consent is needed if the grant is gone', async () => {
    const noToken = { kind: 'reconnect_needed', reason: 'revoked' } as const;
    access = accessWithout(noToken);
    expect([await create(), await find()]).toEqual([noToken, noToken]);
  });

  it('is refused for a deleted lead, whose lookup proves no absence', async () => {
    await control.deleteLead(lead);
    expect(await create()).toEqual(deletedLead);
    expect(await find()).toEqual(deletedLead);
  });

  it('can be looked up: our record is found among others, even on the last page, but no record of another call', async () => {
    const data = Array.from({ length: 100 }, (_, index) => ({
      Subject: `${call.call_id} ${index}`,
      Note_Title: `${call.call_id} ${index}`,
      Note_Content: 'x',
      Call_Type: 'Outbound',
      Call_Start_Time: '2026-01-05T10:30:00+05:30',
      Call_Duration: '00:01',
      What_Id: lead,
      $se_module: 'Leads',
    }));
    const path = route.replace('POST ', '').replace('{id}', lead);
    for (let batch = 0; batch < 4; batch += 1) await api(access, { method: 'POST', path, json: { data } });
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
  ])('is not reported as absent if its lookup meets %s', async (_, fault) => {
    await create();
    await control.fault({ route: list, ...fault });
    expect(await find(undefined, apiFor(fault))).toMatchObject({ kind: 'unavailable' });
  });
});

describe('removing a record of CRM-B', () => {
  const removing = ['notes.DELETE', 'calls.DELETE', ...scopes];
  const rights = (names: readonly string[]) => tokenWith(...names.map((scope) => `ZohoCRM.modules.${scope}`));
  const records = [
    { module: 'Notes', create: () => createNote(), left: () => control.notes(lead) },
    { module: 'Calls', create: () => createLog(), left: () => control.calls(lead) },
  ] as const;

  describe.each(records)('$module', ({ module, create, left }) => {
    const route = `DELETE /crm/v8/${module}/{id}`;
    let id: string;
    const remove = (client = api) => removeCrmBRecord(client, access, module, id);

    beforeEach(async () => {
      access = accessWith(await rights(removing));
      const created = await create();
      id = created.kind === 'written' ? created.id : '';
    });

    it('deletes it, and finds it absent after that', async () => {
      const other = await create();
      expect(await remove()).toEqual({ kind: 'removed' });
      expect((await left()).map((one) => one.id)).toEqual([other.kind === 'written' && other.id]);
      expect(await remove()).toEqual({ kind: 'absent' });
    });

    it.each([202, 207, 400] as const)('finds it absent for any status of the refusal: %i', async (itemErrorStatus) => {
      await control.settings({ itemErrorStatus });
      await remove();
      expect(await remove()).toEqual({ kind: 'absent' });
    });

    it('names the scope that a token lacks', async () => {
      access = accessWith(await rights(scopes));
      const scope = `ZohoCRM.modules.${module.toLowerCase()}.DELETE`;
      expect(await remove()).toEqual({ kind: 'scope_missing', scope });
      expect(await left()).toHaveLength(1);
    });

    it.each<[string, Omit<Fault, 'route'>, object, number]>([
      ['429', { kind: 'too-many-requests' }, { kind: 'unavailable' }, 1],
      ['a token that is refused twice', { kind: 'invalid-token', times: 2 }, { kind: 'unavailable' }, 1],
      [
        'another refusal',
        { kind: 'item-error', error: 'NO_PERMISSION' },
        { kind: 'refused', code: 'NO_PERMISSION' },
        1,
      ],
      ['an error of data', { kind: 'item-error', error: 'INVALID_DATA' }, { kind: 'refused', code: 'INVALID_DATA' }, 1],
      ['500 before the work', { kind: 'server-error' }, { kind: 'unknown' }, 1],
      ['a connection dropped after the work', { kind: 'drop-after' }, { kind: 'unknown' }, 0],
      ['no answer after the work', { kind: 'hang-after' }, { kind: 'unknown' }, 0],
      ['HTML on a 200', { kind: 'html', status: 200 }, { kind: 'unknown' }, 1],
    ])('has the expected outcome after %s, and a repeat completes it', async (_, fault, outcome, count) => {
      await control.fault({ route, ...fault });
      expect(await remove(apiFor(fault))).toMatchObject(outcome);
      expect(await left()).toHaveLength(count);
      expect(await remove()).toEqual({ kind: count === 0 ? 'absent' : 'removed' });
    });

    it('reports that a new consent is needed if the grant is gone', async () => {
      const noToken = { kind: 'reconnect_needed', reason: 'revoked' } as const;
      access = accessWithout(noToken);
      expect(await remove()).toEqual(noToken);
    });
  });
});
