import { type AuditEntry, auditEntryOf } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { topUpEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { type DashboardRouteName, dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { linkRecording } from '../../../shared/operations/after-call/link-recording.ts';
import { aCall, aCalledLead, aResult } from '../support/call.ts';
import { dashboardHandlers, restoreClients } from '../support/dashboard/handlers.ts';
import { NEWER } from '../support/sample-item.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { aConnection, anAssistant, anOrg, ORG } from '../support/worlds/items.ts';
import { aWorld } from '../support/worlds/world.ts';

afterAll(restoreClients);

/** The overview shows the leads of today. */
const AT = new Date().toISOString();

/** Items of a newer version, with a newer name wherever people read one, each beside an item of this version. */
async function anOffice() {
  const member = { user_id: 'u1', org_id: ORG, email: 'u1@example.com', name: 'Asha', role: 'owner', created_at: AT };
  const event = { connection_id: 'conn_1', org_id: ORG, at: AT, source: 'webhook', event: 'new_lead', test: false };
  const decided = { ...event, reason: 'Why not.', payload_keys: [], expires_at: 2_000_000_000, call_id: 'call_newer' };
  const callback = {
    call_id: 'call_newer',
    webhook_id: 'w1',
    org_id: ORG,
    type: 'call.queued',
    url: 'https://x.example',
  };
  const contents = {
    organizations: [anOrg({ owners: 1 })],
    assistants: [anAssistant({ org_id: ORG, assistant_id: 'asst_1' })],
    members: [member, { ...member, user_id: 'u2', email: 'u2@example.com', role: NEWER }],
    connections: [aConnection({ type: 'crm-a', token_hash: 'hash' })],
    activity: [
      { ...decided, event_id: 'evt_1', outcome: 'ignored' },
      { ...decided, event_id: 'evt_2', outcome: NEWER, source: NEWER, event: NEWER, lead_id: 'lead-1' },
      { ...decided, event_id: 'evt_3', connection_id: 'conn_newer', outcome: 'ignored', lead_id: 'lead-2' },
    ],
    'credit-ledger': [
      topUpEntry(ORG, 'one', 1_000, AT),
      { ...topUpEntry(ORG, 'two', 1_000, AT), kind: NEWER, call_id: 'call_newer' },
    ],
    callbacks: [{ ...callback, body: '{}', created_at: AT, attempts: [], state: NEWER, expires_at: 2_000_000_000 }],
  };
  const newer = { ...aConnection({ connection_id: 'conn_newer', assistant_id: 'asst_1' }), type: NEWER };
  const fill = async <World extends Pick<ReturnType<typeof aWorld>, 'put' | 'find' | 'putCall' | 'stores' | 'common'>>(
    world: World,
  ): Promise<World> => {
    world.put('connections', newer);
    world.putCall(aCall({ org_id: ORG, call_id: 'call_known' }));
    world.putCall(
      aCall({
        ...{
          org_id: ORG,
          call_id: 'call_newer',
          lead: aCalledLead({ lead_id: 'lead-1' }),
          note: { state: 'asked', at: AT },
        },
        ...{ analysis: { state: 'done', result: aResult() }, recording: { state: 'none' }, callback_status: 'pending' },
        ...{ placed_by: { kind: 'lead', event_id: 'evt_2', source: 'webhook' } },
      }),
    );
    const item = world.find('calls', { call_id: 'call_newer' }) as { lead: object; analysis: { result: string } };
    const result = { ...aResult(), sentiment: NEWER, success_eval: NEWER };
    world.put('calls', {
      ...item,
      ...{ status: NEWER, callback_status: NEWER, recording: { state: NEWER }, note: { state: NEWER, at: AT } },
      lead: { ...item.lead, crm: NEWER, event: NEWER },
      placed_by: { kind: NEWER },
      analysis: { state: NEWER, result: JSON.stringify(result) },
    });
    const actor = { kind: 'operator', name: 'ravi' } as const;
    for (const [index, action] of ['key.created', NEWER].entries()) {
      const change = { org_id: ORG, actor, action: action as AuditEntry['action'], thing: { id: 'k', name: 'k' } };
      const entry = { ...auditEntryOf({ ...change, after: {} }, new Date(Date.parse(AT) + index), 'x') };
      await world.common.transact({ audit: world.stores.audit.adding(entry) });
    }
    return world;
  };
  return { contents, fill };
}

type Asking = { query?: Record<string, string>; path?: Record<string, string> };

const routes: [DashboardRouteName, Asking, number][] = [
  ['list-calls', {}, 2],
  ['list-calls', { query: { assistant_id: 'asst_1' } }, 2],
  ['list-calls', { query: { q: '+919812345678' } }, 2],
  ['show-call', { path: { id: 'call_newer' } }, 0],
  ['show-overview', {}, 0],
  ['list-lead-events', {}, 3],
  ['list-lead-events', { query: { tests: 'none' } }, 3],
  ['list-lead-events', { query: { count: 'true' } }, 0],
  ['explain-lead', { query: { q: 'lead-1' } }, 0],
  ['explain-lead', { query: { q: 'lead-2' } }, 0],
  ['show-connection', { path: { id: 'conn_1' } }, 0],
  ['list-connections', {}, 1],
  ['show-assistant', { path: { id: 'asst_1' } }, 0],
  ['list-audit-entries', {}, 2],
  ['list-credit-entries', {}, 2],
  ['list-members', {}, 2],
];

/** The other routes that read, each with the reason why it has no case above. */
const others: Partial<Record<DashboardRouteName, string>> = {
  'show-me': 'the rights of a member depend on the role',
  'link-recording': 'its answer is a link: the test below',
  'list-assistants': 'no list of names',
  'show-knowledge': 'no list of names',
  'list-choices': 'decision 41, "Consequences"',
  'list-keys': 'no list of names',
  'show-organization': 'decision 41, "Consequences"',
  'reveal-callback-secret': 'no list of names',
  'list-do-not-call': 'no list of names',
};

describe('items of a newer version', () => {
  it('are tested for every route that reads', () => {
    const reading = Object.entries(dashboardRoutes).flatMap(([name, { method }]) => (method === 'GET' ? [name] : []));
    expect([...new Set([...routes.map(([name]) => name), ...Object.keys(others)])].sort()).toEqual(reading.sort());
  });

  it('do not hide the recording of a call', async () => {
    const { contents, fill } = await anOffice();
    const world = await fill(aWorld(contents));
    const item = world.find('calls', { call_id: 'call_newer' });
    world.put('calls', { ...item, recording: { state: 'stored', key: 'r.wav' } });
    const deps = { calls: world.stores.calls, isStored: async () => true, linkTo: async (key: string) => key };
    const linked = await linkRecording({ ...deps, now: () => new Date() }, ORG, 'call_newer');
    expect(linked).toEqual({ kind: 'found', url: 'r.wav' });
  });

  it.each(routes)('are shown to people by %s %j, beside the others', async (name, asking, most) => {
    const { contents, fill } = await anOffice();
    const world = await fill(aWorld(contents));
    const handlers = dashboardHandlers(world, {
      GetSecretValue: () => ({ SecretString: 'key of the list' }),
    });
    const { status, body } = await handlers.ask(name, { ...asking, claims: { sub: 'u1' } });
    expect([name, status, body]).toEqual([name, 200, expect.anything()]);
    const route = dashboardRoutes[name];
    // The browser refuses an answer that does not fit.
    if ('answer' in route) expect(route.answer.safeParse(body)).toMatchObject({ success: true });
    if (most > 0) expect(body.items).toHaveLength(most);
    expect(JSON.stringify(body)).toContain(NEWER);
    expect(body.unread ?? []).toEqual([]);
  });

  it.each([
    [`call list --org ${ORG}`],
    [`connection list --org ${ORG}`],
    ['call show --call call_newer'],
    ['connection activity --connection conn_1'],
    [`org ledger --org ${ORG}`],
    [`audit list --org ${ORG}`],
    [`user list --org ${ORG}`],
  ])('are shown to operators by %s', async (command) => {
    const { contents, fill } = await anOffice();
    const world = await fill(adminWorld(contents));
    const { code, stdout, stderr } = await world.admin(command);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(NEWER);
  });

  it('break no chain of the audit log', async () => {
    const { contents, fill } = await anOffice();
    const world = await fill(adminWorld(contents));
    const { code, stdout } = await world.admin(`audit verify --org ${ORG}`);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { chained: 2, unchained: 0 }]);
  });
});
