import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { crmBSettingsSchema } from '../../../../shared/domain/connections/crm-b-settings.ts';
import { helpDeskSettingsSchema } from '../../../../shared/domain/connections/help-desk-settings.ts';
import { connectionIdFor } from '../../../../shared/domain/ids.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import type { Organization } from '../../../../shared/domain/organizations/organization.ts';
import { eraseCall } from '../../../../shared/operations/after-call/erasure/erase-call.ts';
import { type ConnectionEdit, updateConnection } from '../../../../shared/operations/connections/update-connection.ts';
import { sundaySweep } from '../../../../shared/operations/leads/sunday-sweep.ts';
import {
  type OrganizationChange,
  updateOrganization,
} from '../../../../shared/operations/organizations/update-organization.ts';
import { aToken } from '../../../support/connections/access-token.ts';
import { aCallOfPerson, aPersonsWorld, idOf } from '../../support/erasure/person.ts';
import { aHelpDesk, onlyTicket } from '../../support/help-desk.ts';
import { anAssistant, ist, ORG } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  found,
  type LeadWorld,
  leadWorld,
  NOON,
  OTHER_PHONE,
  OWNER,
  PHONE,
} from '../../support/worlds/lead-world.ts';

const admin: Actor = { kind: 'member', user_id: 'user-1', email: 'priya@example.com' };
const SUNDAY = '2026-03-08';

type World = Pick<LeadWorld, 'all' | 'common'>;

/** Changes the connection through the dashboard's operation. */
async function edit(world: World, change: ConnectionEdit): Promise<void> {
  const organizations = ['60001', '60002'].map((id) => ({ id, name: id }));
  const deps = { ...world.common, listOrganizations: async () => ({ kind: 'listed' as const, organizations }) };
  const connection = world.all('connections')[0] as Connection;
  const { kind } = await updateConnection(deps, admin, connection, change, connection.revision ?? 0);
  expect(kind).toBe('updated');
}

async function editOrganization(world: LeadWorld, change: OrganizationChange): Promise<void> {
  const deps = { ...world.common, handOverSlots: async () => undefined };
  const { org_id, revision } = world.all('organizations')[0] as Organization;
  const { kind } = await updateOrganization(deps, admin, { org_id }, change, revision ?? 0);
  expect(kind).toBe('updated');
}

/** Each setting that affects a lead: its change, and the outcome of the lead's next event at this time. */
const ofLeads: [setting: string, change: ConnectionEdit, outcome: string, at: string][] = [
  ['auto_call', { auto_call: false }, 'auto_call_disabled', NOON],
  ['assistant_id', { assistant_id: null }, 'assistant_missing', NOON],
  ['trigger_owner_user_id', { trigger_owner_user_id: 'owner-2' }, 'owner_mismatch', NOON],
  ['call_window_start', { settings: { call_window_start: '12:30' } }, 'call scheduled', NOON],
  ['call_window_end', { settings: { call_window_end: '11:30' } }, 'call scheduled', NOON],
  ['exclude_sunday', { settings: { exclude_sunday: true } }, 'call scheduled', ist(SUNDAY, '12:00')],
];

describe('the next event of a lead uses a changed setting', () => {
  it.each(ofLeads)('%s', async (_setting, change, outcome, at) => {
    const world = leadWorld();
    world.now = at;
    expect(await world.process(world.event())).toBe('call queued');
    world.crm = () => found({ lead_id: '1002', phones: ['98765 43211'] });
    await edit(world, change);
    const lead = { ...world.event().lead, lead_id: '1002' };
    expect(await world.process(world.event({ event_id: 'evt_2', lead }))).toBe(outcome);
  });

  it('assistant_id: another assistant calls', async () => {
    const world = leadWorld({ assistants: [anAssistant(), anAssistant({ assistant_id: 'asst_2', name: 'Ravi' })] });
    await edit(world, { assistant_id: 'asst_2' });
    await world.process(world.event());
    expect(world.call()).toMatchObject({ assistant_id: 'asst_2', assistant_name: 'Ravi' });
  });

  it('platform_numbers of the organization: its own number is not called', async () => {
    const world = leadWorld();
    await editOrganization(world, { set: { platform_numbers: [PHONE] } });
    expect(await world.process(world.event())).toBe('own_platform_number');
  });

  it('default_region of the organization: a number without a country code belongs to this region', async () => {
    const world = leadWorld();
    world.crm = () => found({ phones: ['212 736 5000'] });
    await editOrganization(world, { set: { default_region: 'US' } });
    await world.process(world.event());
    expect(world.call().phone_number).toBe('+12127365000');
  });
});

describe('the next Sunday sweep uses a changed setting', () => {
  const complete = { sunday_rnr_retry: 'true', disposition_crm_field: 'Lead_Status', disposition_value: 'RNR' };
  const all = { field: 'Lead_Status', value: 'RNR', ownerId: OWNER };

  it.each<[string, ConnectionEdit, object[]]>([
    ['sunday_rnr_retry', { settings: { sunday_rnr_retry: 'false' } }, []],
    ['disposition_crm_field', { settings: { disposition_crm_field: 'Result' } }, [{ ...all, field: 'Result' }]],
    ['disposition_value', { settings: { disposition_value: 'Busy' } }, [{ ...all, value: 'Busy' }]],
    ['trigger_owner_user_id', { trigger_owner_user_id: 'owner-2' }, [{ ...all, ownerId: 'owner-2' }]],
  ])('%s', async (_setting, change, expected) => {
    const world = leadWorld({ connections: [aCallingConnection({ settings: complete })] });
    const asked: object[] = [];
    const sweep = () =>
      sundaySweep({
        ...world.deps,
        accessTo: () => ({ apiDomain: 'https://crm.example', token: async () => aToken('token') }),
        leadsWithDisposition: async (_access, wanted) => {
          asked.push(wanted);
          return { kind: 'found', ids: [] };
        },
        timeLeftMs: () => 800_000,
      });
    await sweep();
    expect(asked.splice(0)).toEqual([all]);
    await edit(world, change);
    await sweep();
    expect(asked).toEqual(expected);
  });
});

/** Each setting of the help desk: its change, and its effect on the next ticket. */
const ofTickets: [setting: keyof typeof helpDeskSettingsSchema.def.shape, value: unknown, has: object][] = [
  ['departmentId', '7000002', { fields: { departmentId: '7000002' } }],
  ['orgId', '60002', { org: '60002' }],
  ['subject_template', 'Call of {caller_mobile}', { fields: { subject: `Call of ${OTHER_PHONE}` } }],
  ['description_template', 'Said: {sentiment}', { fields: { description: 'Said: negative' } }],
  ['attach_call_recording', true, { files: 1 }],
  ['attach_full_transcript', true, { comments: 1 }],
  ['run_condition', { field: 'lead_intent', in: ['callback'] }, { tickets: 0 }],
  ['priority_mapping', { field: 'lead_intent', values: { complaint: 'Urgent' } }, { fields: { priority: 'Urgent' } }],
  [
    'classification_mapping',
    { field: 'lead_intent', values: { complaint: 'Problem' } },
    { fields: { classification: 'Problem' } },
  ],
  ['assignee_mapping', { field: 'lead_intent', values: { complaint: '9' } }, { fields: { assigneeId: '9' } }],
  ['tags', ['voice'], { tags: ['voice'] }],
];

describe('the next ticket uses a changed setting', () => {
  it.each(ofTickets)('%s', async (setting, value, expected) => {
    const seen = async (change: object | undefined) => {
      const desk = aHelpDesk({ settings: onlyTicket });
      if (change) await edit(desk, { settings: change as Record<string, unknown> });
      await desk.untilDone();
      const [ticket] = desk.tickets;
      const { org, fields } = ticket ?? {};
      return {
        ...{ tickets: desk.tickets.length, org, fields },
        ...{ files: desk.files.length, comments: desk.comments.length, tags: desk.tags },
      };
    };
    expect(await seen(undefined)).not.toMatchObject(expected);
    expect(await seen({ [setting]: value })).toMatchObject(expected);
  });
});

describe('the next erasure uses a changed setting', () => {
  it.each([
    ['crm-b', {}, 'note'],
    ['help-desk', onlyTicket, 'ticket'],
  ] as const)('erase_records of %s', async (type, settings, record) => {
    const connection = aCallingConnection({ connection_id: connectionIdFor(ORG, type), type, settings });
    const mark = { state: 'written' as const, at: NOON, id: '1' };
    const city = aPersonsWorld([aCallOfPerson(1, { note: undefined, [record]: mark })], { connections: [connection] });
    const outcome = async () => {
      const erased = await eraseCall(city.deps, { kind: 'operator', name: 'ravi' }, idOf(1));
      return erased.kind === 'erased' ? erased.records.map((one) => one.outcome) : erased;
    };
    expect([await outcome(), city.remote.size]).toEqual([['kept'], 1]);
    await edit({ all: city.all, common: city.deps } as unknown as World, { settings: { erase_records: true } });
    expect([await outcome(), city.remote.size]).toEqual([['removed'], 0]);
  });
});

it('every setting of a connection has a case in this file', () => {
  const sunday = ['sunday_rnr_retry', 'disposition_crm_field', 'disposition_value'];
  const tested = [...ofLeads.map(([setting]) => setting), ...sunday, 'erase_records'];
  expect(tested).toEqual(expect.arrayContaining(Object.keys(crmBSettingsSchema.def.shape)));
  expect([...ofTickets.map(([setting]) => setting), 'erase_records'].sort()).toEqual(
    Object.keys(helpDeskSettingsSchema.def.shape).sort(),
  );
});
