import { type DashboardRouteName, dashboardRoutes } from '../../../../shared/messages/dashboard/routes.ts';
import { aCall } from '../../support/call.ts';
import { type Asking, restoreClients } from '../../support/dashboard/handlers.ts';
import { anOffice, BROWSER, connection, PENDING, routes } from '../../support/dashboard/office.ts';
import { aConnection, anAssistant, anOrg } from '../../support/worlds/items.ts';

afterAll(restoreClients);

describe('an id within a body or a query', () => {
  const OTHERS = `call_${'9'.repeat(32)}`;
  const OTHER_CONSENT = '9'.repeat(32);
  /** Each field that names an item, with an id of another organization. */
  const named: Record<string, [value: string, asking?: Asking]> = {
    'list-calls assistant_id': ['asst_9'],
    'list-calls q': [OTHERS],
    'show-connection event_id': ['evt_99999999', { path: connection }],
    'update-connection assistant_id': ['asst_9', { path: connection, body: { revision: 0 } }],
    'place-test-call assistant_id': ['asst_9', { body: {}, headers: { 'idempotency-key': 'action-0003' } }],
    'explain-lead q': ['l9'],
    'list-audit-entries thing': ['conn_9'],
    'confirm-consent consent_id': [
      OTHER_CONSENT,
      { path: { id: 'conn_2' }, body: { organization_id: '7' }, cookies: [`dashboard_consent=${BROWSER}`] },
    ],
    'refuse-consent consent_id': [OTHER_CONSENT, { path: { id: 'conn_2' } }],
  };
  /** Names from other systems: a user of the CRM, and an organization of the help desk. */
  const elsewhere = [
    'update-connection trigger_owner_user_id',
    'list-choices organization_id',
    'confirm-consent organization_id',
  ];

  const fieldsOf = (schema: unknown) => Object.keys((schema as { def?: { shape?: object } })?.def?.shape ?? {});

  it('has a case in this test for every route', () => {
    const found = routes.flatMap(([name, { request, query }]) =>
      [request, query]
        .flatMap(fieldsOf)
        .flatMap((field) => (/^(q|thing)$|_id$/.test(field) ? [`${name} ${field}`] : [])),
    );
    expect(found.sort()).toEqual([...Object.keys(named), ...elsewhere].sort());
  });

  /** Adds the items of `anOffice` to the other organization. */
  function addOthers(world: ReturnType<typeof anOffice>) {
    const ofOthers = { org_id: 'org2', connection_id: 'conn_9', at: '2026-03-02T05:00:00.000Z', expires_at: 1 };
    const event = { source: 'webhook', event: 'new_lead', test: false, payload_keys: [], lead_id: 'l9' };
    world.put('organizations', anOrg({ org_id: 'org2' }));
    world.put('assistants', anAssistant({ assistant_id: 'asst_9', org_id: 'org2' }));
    world.put('connections', aConnection({ connection_id: 'conn_9', org_id: 'org2', type: 'crm-a' }));
    const pending_consent = { ...PENDING, id: OTHER_CONSENT };
    world.put('connections', aConnection({ connection_id: 'conn_8', org_id: 'org2', pending_consent }));
    world.put('activity', { ...ofOthers, ...event, event_id: 'evt_99999999', outcome: 'called', reason: 'Called.' });
    world.put('audit', {
      ...{
        ...ofOthers,
        entry: `${ofOthers.at}#a`,
        action: 'connection.updated',
        actor: { kind: 'operator', name: 'o' },
      },
      thing: { id: 'conn_9', name: 'CRM-A' },
    });
    world.putCall(aCall({ call_id: OTHERS, org_id: 'org2', assistant_id: 'asst_9' }));
  }

  it.each(Object.entries(named))(
    'of another organization is answered like an unknown id: %s',
    async (asked, [value, asking = {}]) => {
      const [name = '', field = ''] = asked.split(' ');
      const { method } = dashboardRoutes[name as DashboardRouteName];
      const given = { [field]: value };
      const request =
        method === 'GET' ? { ...asking, query: given } : { ...asking, body: { ...Object(asking.body), ...given } };
      const [alone, beside] = [anOffice(), anOffice()];
      const unknown = await alone.ask(name as DashboardRouteName, request);
      addOthers(beside);
      const kept = structuredClone(beside.all('assistants'));
      expect(await beside.ask(name as DashboardRouteName, request)).toEqual(unknown);
      expect([method, unknown.status]).toEqual([method, method === 'GET' ? 200 : expect.any(Number)]);
      // A function reads its key once, so the order of the tests decides whether this request does.
      const acted = beside.asked.filter((command) => command !== 'GetSecretValue');
      if (method !== 'GET') expect([unknown.status >= 400, acted, beside.all('assistants')]).toEqual([true, [], kept]);
    },
  );
});
