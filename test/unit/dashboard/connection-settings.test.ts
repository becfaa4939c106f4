import { ApiError } from '../../../dashboard/app/api/api-error.ts';
import {
  changesOf,
  type EditValues,
  validate,
  valuesOf,
  withFormFields,
} from '../../../dashboard/pages/connection/edit-form.ts';
import { sampleTicket } from '../../../dashboard/pages/connection/sample-call.ts';
import { shownChoices } from '../../../dashboard/pages/connection/shown-choices.ts';
import { connectionInterval } from '../../../dashboard/pages/connections/connection-interval.ts';
import { decideRecord } from '../../../shared/domain/after-call/erasure/erased-record.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { viewForDashboard } from '../../../shared/domain/connections/connection-view.ts';
import { crmBSettingsSchema } from '../../../shared/domain/connections/crm-b-settings.ts';
import { helpDeskSettingsSchema } from '../../../shared/domain/connections/help-desk-settings.ts';
import {
  type ConnectionView,
  updateConnection as route,
  showConnection,
} from '../../../shared/messages/dashboard/connections.ts';
import {
  type UpdateConnectionDeps,
  updateConnection,
} from '../../../shared/operations/connections/update-connection.ts';
import { sundaySweep } from '../../../shared/operations/leads/sunday-sweep.ts';
import { aToken } from '../../support/connections/access-token.ts';
import { operator } from '../../support/connections/change-connection.ts';
import { aHelpDesk, onlyTicket } from '../support/help-desk.ts';
import { aConnection, aGrant, anAssistant, ist } from '../support/worlds/items.ts';
import { aCallingConnection, leadWorld, OWNER } from '../support/worlds/lead-world.ts';

const SUNDAY = '2026-03-08';

/** The connection as the page reads it. */
const seen = (connection: Connection): ConnectionView =>
  showConnection.answer.shape.connection.parse(viewForDashboard(connection, 'https://calls.example'));

type World = { all: (table: 'connections') => object[]; common: Omit<UpdateConnectionDeps, 'listOrganizations'> };

/** Saves fields of the page through the request that it sends. @returns the connection as the page then reads it */
async function save({ all, common }: World, change: Partial<EditValues>): Promise<ConnectionView> {
  const now = () => all('connections')[0] as Connection;
  const before = seen(now());
  const values = { ...valuesOf(before), ...change };
  expect(validate(before, values)).toEqual([]);
  const { revision, ...edit } = route.request.parse(changesOf(before, values));
  const listOrganizations = async () => ({
    kind: 'listed' as const,
    organizations: ['60001', '60002'].map((id) => ({ id, name: id })),
  });
  const saved = await updateConnection({ ...common, listOrganizations }, operator, now(), edit, revision);
  expect(saved.kind).toBe('updated');
  const after = seen(now());
  expect(valuesOf(after)).toMatchObject(change);
  return after;
}

type SettingCase = [setting: string, change: Partial<EditValues>, expected: unknown];

const ofLeads: SettingCase[] = [
  ['auto_call', { auto_call: false }, { outcome: 'auto_call_disabled' }],
  ['assistant_id', { assistant_id: 'asst_2' }, { outcome: 'call queued', assistant: 'asst_2' }],
  ['assistant_id', { assistant_id: '' }, { outcome: 'assistant_missing' }],
  ['trigger_owner_user_id', { trigger_owner_user_id: 'owner-2' }, { outcome: 'owner_mismatch' }],
  ['trigger_owner_user_id', { trigger_owner_user_id: '' }, { outcome: 'owner_mismatch' }],
  [
    'call_window_start',
    { call_window_start: '15:00' },
    { outcome: 'call scheduled', scheduled_for: ist(SUNDAY, '15:00') },
  ],
  [
    'call_window_end',
    { call_window_end: '11:00' },
    { outcome: 'call scheduled', scheduled_for: ist('2026-03-09', '09:00') },
  ],
  ['call_window_end', { call_window_start: '', call_window_end: '' }, { outcome: 'call queued' }],
  [
    'exclude_sunday',
    { exclude_sunday: true },
    { outcome: 'call scheduled', scheduled_for: ist('2026-03-09', '09:00') },
  ],
];

describe('a setting of leads that is changed on the page', () => {
  it.each(ofLeads)('applies to the next lead: %s %j', async (_setting, change, expected) => {
    const settings = { call_window_start: '09:00', call_window_end: '21:00' };
    const world = leadWorld({
      connections: [aCallingConnection({ settings })],
      assistants: [anAssistant(), anAssistant({ assistant_id: 'asst_2' })],
    });
    world.now = ist(SUNDAY, '12:00');
    await save(world, change);
    const outcome = await world.process(world.event());
    const [call] = world.calls();
    expect({ outcome, assistant: call?.assistant_id, scheduled_for: world.entries()[0]?.scheduled_for }).toMatchObject(
      expected as object,
    );
  });

  it.each<SettingCase>([
    ['sunday_rnr_retry', { sunday_rnr_retry: false }, []],
    ['disposition_crm_field', { disposition_crm_field: 'Call_Disposition' }, [['Call_Disposition', 'RNR', OWNER]]],
    ['disposition_value', { disposition_value: 'Busy' }, [['Lead_Status', 'Busy', OWNER]]],
    ['trigger_owner_user_id', { trigger_owner_user_id: '7' }, [['Lead_Status', 'RNR', '7']]],
  ])('applies to the next Sunday sweep: %s %j', async (_setting, change, expected) => {
    const settings = { sunday_rnr_retry: 'true', disposition_crm_field: 'Lead_Status', disposition_value: 'RNR' };
    const world = leadWorld({ connections: [aCallingConnection({ settings })] });
    world.now = ist(SUNDAY, '09:00');
    await save(world, change);
    const queries: unknown[] = [];
    await sundaySweep({
      ...world.deps,
      accessTo: () => ({ apiDomain: 'https://crm.example', token: async () => aToken('t') }),
      leadsWithDisposition: async (_access, { field, value, ownerId }) => {
        queries.push([field, value, ownerId]);
        return { kind: 'found', ids: [] };
      },
      timeLeftMs: () => 800_000,
    });
    expect(queries).toEqual(expected);
  });
});

const lowest = { field: 'lead_intent', rows: [{ from: 'complaint', to: 'Lowest' }], fallback: '' };
const ofTickets: SettingCase[] = [
  ['departmentId', { departmentId: '7000002' }, { tickets: [{ fields: { departmentId: '7000002' } }] }],
  ['orgId', { orgId: '60002' }, { tickets: [{ org: '60002' }] }],
  [
    'subject_template',
    { subject_template: 'Call of {caller_mobile}' },
    { tickets: [{ fields: { subject: 'Call of +919812345678' } }] },
  ],
  [
    'description_template',
    { description_template: '{sentiment}: {issue_summary}' },
    { tickets: [{ fields: { description: 'negative: The box leaks.' } }] },
  ],
  [
    'attach_call_recording',
    { attach_call_recording: true },
    { files: [expect.stringMatching(/\.wav$/)], comments: [] },
  ],
  [
    'attach_full_transcript',
    { attach_full_transcript: true },
    { comments: [expect.stringContaining('Namaste')], files: [] },
  ],
  ['run_condition', { run_condition: { field: 'lead_intent', in: 'purchase, callback' } }, { tickets: [] }],
  ['priority_mapping', { priority_mapping: lowest }, { tickets: [{ fields: { priority: 'Lowest' } }] }],
  [
    'classification_mapping',
    { classification_mapping: lowest },
    { tickets: [{ fields: { classification: 'Lowest' } }] },
  ],
  [
    'assignee_mapping',
    { assignee_mapping: { ...lowest, rows: [], fallback: '56001' } },
    { tickets: [{ fields: { assigneeId: '56001' } }] },
  ],
  ['tags', { tags: 'voice\nflats' }, { tags: ['voice', 'flats'] }],
];

describe('a setting of the help desk that is changed on the page', () => {
  it.each(ofTickets)('applies to the next ticket: %s', async (_setting, change, expected) => {
    const world = aHelpDesk({ settings: onlyTicket });
    await save({ ...world, common: world.deps as never }, change);
    await world.run();
    const { tickets, files, comments, tags } = world;
    expect({ tickets, files, comments, tags }).toMatchObject(expected as object);
  });

  it('can be reset to the default of the service', async () => {
    const settings = {
      ...onlyTicket,
      subject_template: 'x',
      tags: ['voice'],
      priority_mapping: { field: 'a', values: {} },
    };
    const world = aHelpDesk({ settings });
    const after = await save(
      { ...world, common: world.deps as never },
      { subject_template: '', tags: '', priority_mapping: undefined },
    );
    expect(after.settings).toEqual(onlyTicket);
    await world.run();
    expect(world.tickets).toMatchObject([{ fields: { subject: 'complaint — +919812345678', priority: 'High' } }]);
  });
});

describe('the setting that removes records, changed on the page', () => {
  it.each(['crm-b', 'help-desk'] as const)('applies to the next erasure: %s', async (type) => {
    const settings = type === 'help-desk' ? onlyTicket : {};
    const world = leadWorld({ connections: [aCallingConnection({ type, settings })] });
    const record = { system: type, record: type === 'crm-b' ? 'note' : 'ticket', id: '1' };
    const decided = async (change: object) => decideRecord(record, { grant: aGrant(), ...(await save(world, change)) });
    expect(await decided({ auto_call: false })).toMatchObject({ outcome: 'kept' });
    expect(await decided({ erase_records: true })).toBe('remove');
    expect(await decided({ erase_records: false })).toMatchObject({ outcome: 'kept' });
  });
});

it('every setting has a case in these tables', () => {
  const tested = [...ofLeads, ...ofTickets].map(([setting]) => setting);
  const retry = ['sunday_rnr_retry', 'disposition_crm_field', 'disposition_value'];
  const ofPeople = ['auto_call', 'assistant_id', 'trigger_owner_user_id'];
  const all = [...ofPeople, ...Object.keys(crmBSettingsSchema.shape), ...Object.keys(helpDeskSettingsSchema.shape)];
  expect([...new Set([...tested, ...retry, 'erase_records'])].sort()).toEqual([...new Set(all)].sort());
});

describe('lists to choose from', () => {
  it('are shown as loading only if a consent may provide them', () => {
    const shown = (is_connected: boolean, isReadable = true) =>
      shownChoices({ is_connected }, { data: undefined, isFormer: false, isReadable })?.departments;
    expect([shown(true), shown(false), shown(true, false)]).toEqual([undefined, null, null]);
  });

  it('do not offer departments and agents of the former organization', () => {
    const list = [{ id: '1', name: 'Sales' }];
    const data = {
      assistants: [],
      owners: null,
      lead_fields: null,
      organizations: list,
      departments: list,
      agents: list,
      failure: null,
    };
    const shown = (isFormer: boolean) => shownChoices({ is_connected: true }, { data, isFormer, isReadable: true });
    expect(shown(false)).toBe(data);
    expect(shown(true)).toEqual({ ...data, departments: undefined, agents: undefined });
  });
});

describe('a Sunday sweep that CRM-B did not answer', () => {
  const at = ist(SUNDAY, '09:00');
  const shown = (over: Partial<Connection>) => seen(aConnection({ grant: aGrant(), ...over })).health.missed_sweep;

  it('is shown on the page while its leads wait, and after they are given up', () => {
    const queued = { up_to: '7000', grant_id: 'grant-1' };
    expect(shown({ missed_sweep: { at, queued } })).toEqual({ at, given_up_at: null });
    const given_up_at = ist(SUNDAY, '21:00');
    expect(shown({ missed_sweep: { at, given_up_at } })).toEqual({ at, given_up_at });
  });

  it('is not shown otherwise', () => {
    expect(shown({})).toBeUndefined();
  });
});

describe('the page of a connection', () => {
  const steps = (isDelivered: boolean) => [{ step: 'delivery' as const, is_done: isDelivered }];
  const read = (over: object, dataUpdateCount: number) => ({
    data: { connection: { ...seen(aConnection()), is_connected: true, set_up: steps(true), ...over }, event: null },
    dataUpdateCount,
  });

  it('is read often while an event is awaited, but not for a whole night', () => {
    const intervals = [1, 149, 150, 10_000].map((reads) => [
      connectionInterval(read({ set_up: steps(false) }, reads)),
      connectionInterval(read({}, reads), 'evt_1'),
    ]);
    expect(intervals).toEqual([
      [2_000, 2_000],
      [2_000, 2_000],
      [15_000, 15_000],
      [15_000, 15_000],
    ]);
    expect(connectionInterval(read({}, 1))).toBe(15_000);
  });
});

describe('the form of a connection', () => {
  const connection = seen(aConnection({ settings: { exclude_sunday: true }, revision: 4 }));

  it('sends only changed settings', () => {
    expect(changesOf(connection, valuesOf(connection))).toEqual({ revision: 4 });
    const values = { ...valuesOf(connection), exclude_sunday: false, call_window_start: '10:00' };
    expect(changesOf(connection, values)).toEqual({
      revision: 4,
      settings: { exclude_sunday: null, call_window_start: '10:00' },
    });
  });

  it('names the invalid field, both before sending and after a refusal by the API', () => {
    const helpDesk = seen(aConnection({ type: 'help-desk', grant: aGrant() }));
    const values = { ...valuesOf(helpDesk), tags: 'a:b' };
    expect(validate(helpDesk, values).map(({ path }) => path)).toEqual(['departmentId', 'tags']);
    const refused = new ApiError({
      status: 400,
      code: 'invalid_request',
      fields: [{ path: 'settings.tags.0', message: 'x' }],
      requestId: 'r1',
      retryAfter: 30,
    });
    expect(withFormFields(refused)).toMatchObject({
      fields: [{ path: 'tags', message: 'x' }],
      requestId: 'r1',
      retryAfter: 30,
    });
  });

  it('previews tickets exactly as they are created', () => {
    expect(sampleTicket({})).toEqual({
      subject: 'complaint — +919820000001',
      description: 'The pipe under the kitchen sink leaks since Monday.',
      priority: 'High',
      isCreated: true,
    });
    const run_condition = { field: 'lead_intent', in: ['purchase'] };
    expect(sampleTicket({ subject_template: '{city} {unknown}{name}', run_condition })).toMatchObject({
      subject: 'Pune Meera Rao',
      isCreated: false,
    });
  });
});
