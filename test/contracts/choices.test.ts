import { crmBScopes } from '../../shared/domain/connections/access/oauth-scopes.ts';
import { crmBChoices } from '../../shared/integrations/crm-b/choices.ts';
import { crmBIdentity } from '../../shared/integrations/crm-b/identity.ts';
import { helpDeskChoices } from '../../shared/integrations/help-desk/choices.ts';
import { helpDeskIdentity } from '../../shared/integrations/help-desk/identity.ts';
import { api as crmBApi, startCrmBWithAccess, unreachable } from './support/crm-b.ts';
import { api as helpDeskApi, startHelpDesk } from './support/help-desk.ts';

const { accessWith, begin: beginCrmB, control, end: endCrmB, tokenWith } = await startCrmBWithAccess();
const { begin: beginHelpDesk, simulator } = await startHelpDesk();

const crmB = crmBChoices(crmBApi);
const helpDesk = helpDeskChoices(helpDeskApi);

afterAll(async () => {
  await endCrmB();
  await simulator.stop();
});

describe('the choices of CRM-B', () => {
  it('are its users by name, and the fields of leads with the values of picklists', async () => {
    await beginCrmB();
    const access = accessWith(await tokenWith(...crmBScopes.split(',')));
    const users = await crmB.users(access);
    expect(users).toMatchObject({
      kind: 'found',
      items: expect.arrayContaining([{ id: '554000000000101', name: expect.any(String) }]),
    });
    const fields = await crmB.leadFields(access);
    if (fields.kind !== 'found') throw new Error(fields.reason);
    const byName = Object.fromEntries(fields.items.map((field) => [field.name, field]));
    expect(byName.Lead_Status).toEqual({
      name: 'Lead_Status',
      label: 'Lead Status',
      values: expect.arrayContaining(['RNR']),
    });
    expect(byName.City).toEqual({ name: 'City', label: 'City', values: null });
  });

  it('are missing without the required scope, and while CRM-B cannot be reached', async () => {
    await beginCrmB();
    const access = accessWith(await tokenWith('ZohoCRM.modules.leads.READ'));
    expect(await crmB.users(access)).toEqual({ kind: 'refused', reason: 'OAUTH_SCOPE_MISMATCH' });
    expect(await crmB.leadFields(unreachable)).toMatchObject({ kind: 'unavailable' });
    await control.fault({ route: 'GET /crm/v8/users', kind: 'server-error' });
    const allowed = accessWith(await tokenWith(...crmBScopes.split(',')));
    expect(await crmB.users(allowed)).toMatchObject({ kind: 'unavailable' });
  });
});

describe('the choices of the help desk', () => {
  it('are the departments and agents of the organization that the request names', async () => {
    const access = await beginHelpDesk();
    expect(await helpDesk.departments(access)).toEqual({
      kind: 'found',
      items: [
        { id: '189200000000006907', name: 'Support' },
        { id: '189200000000007141', name: 'Sales' },
      ],
    });
    expect(await helpDesk.agents(access)).toMatchObject({
      kind: 'found',
      items: [{ id: '189200000000056001', name: 'Meera Joshi' }, { name: 'Arjun Das' }],
    });
    expect(await helpDesk.departments({ ...access, orgId: '1' })).toMatchObject({ kind: 'refused' });
  });
});

describe('the identity of a consent', () => {
  it('is the organization of CRM-B and the user of the token', async () => {
    await beginCrmB();
    const access = accessWith(await tokenWith(...crmBScopes.split(',')));
    const identity = crmBIdentity(crmBApi);
    expect(await identity.read(access)).toEqual({
      organizations: [{ id: '554000000000001', name: 'main' }],
      user: { name: 'Asha Rao', email: 'asha@example.com' },
    });
    await control.fault({ route: 'GET /crm/v8/users', kind: 'server-error' });
    expect(await identity.read(access)).not.toHaveProperty('user');
    // Grants from before the scope was requested.
    expect(await identity.read(accessWith(await tokenWith('ZohoCRM.users.READ')))).toBeUndefined();
    expect(await identity.read(unreachable)).toBeUndefined();
  });

  it('is the organization of the help desk and the agent of the token', async () => {
    const access = await beginHelpDesk();
    const identity = helpDeskIdentity(helpDeskApi);
    expect(await identity.read({ ...access, orgId: undefined })).toEqual({
      organizations: [{ id: '60012345678', name: 'Example Support' }],
      user: { name: 'Unknown', email: 'unknown@example.com' },
    });
    expect(await identity.read({ ...access, host: 'http://127.0.0.1:9' })).toBeUndefined();
  });
});
