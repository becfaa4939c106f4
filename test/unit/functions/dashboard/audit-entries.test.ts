import type { DashboardRouteName } from '../../../../shared/messages/dashboard/routes.ts';
import { restoreClients } from '../../support/dashboard/handlers.ts';
import { anOffice, changes, exceptions, routes } from '../../support/dashboard/office.ts';
import { ORG } from '../../support/worlds/items.ts';

afterAll(restoreClients);

describe('the audit log of the dashboard', () => {
  it('has an entry for every route that changes data', () => {
    const changing = routes.filter(([, { method }]) => method !== 'GET').map(([name]) => name);
    const listed = [...Object.keys(changes), ...Object.keys(exceptions)];
    expect(listed.sort()).toEqual([...changing, 'reveal-callback-secret'].sort());
  });

  it.each(Object.entries(changes))('%s', async (name, [action, asking]) => {
    const world = anOffice();
    const { status, body } = await world.ask(name as DashboardRouteName, asking);
    expect([status < 300, body.error]).toEqual([true, undefined]);
    const entries = world.auditEntries().filter(({ org_id }) => org_id === ORG);
    const user = { user_id: 'u1', email: 'u1@example.com' };
    expect(entries).toMatchObject([{ action, org_id: ORG, actor: { kind: 'member', ...user } }]);
    expect(JSON.stringify(entries)).not.toMatch(/whsec|svc_live|98123456/);
  });
});
