import type { Plan } from '../plan.ts';
import { operationImport, type Template, unitTestOf } from '../template.ts';

export const dashboard = (plan: Plan): Template => {
  const { name, camel, pascal, area } = plan;
  return {
    folder: `dashboard/${area}`,
    entry: `
import * as z from 'zod/mini';
import { ${camel} as route } from '../../../shared/messages/dashboard/${area}.ts';
${operationImport(plan, '../../../')}
import { quick } from '../../../shared/runtime/aws.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { answer, declineWithoutOrg } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';

const config = readConfig({ MEMBERS_TABLE: z.string(), ORGANIZATIONS_TABLE: z.string() });
const db = documentClient(quick);

const admit = wireAdmission(config, db);
const deps = { organizations: organizationStore(db, config.ORGANIZATIONS_TABLE) };

export const handler = dashboardRoute(route, admit, async ({ member }) => {
  const result = await ${camel}(deps, member.org_id);
  return result ? answer(200, result) : declineWithoutOrg();
});
`,
    operation: `
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';

type ${pascal}Deps = { organizations: Pick<OrganizationStore, 'get'> };

/** Reads the organization's name. @returns undefined if the organization does not exist */
export async function ${camel}({ organizations }: ${pascal}Deps, orgId: string): Promise<{ name: string } | undefined> {
  const org = await organizations.get(orgId);
  return org && { name: org.name };
}
`,
    unitTest: `
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';${unitTestOf(
      plan,
      `
  it('reads the name of the organization', async () => {
    const { stores } = aWorld({ organizations: [anOrg({ name: 'Acme' })] });
    expect(await ${camel}(stores, ORG)).toEqual({ name: 'Acme' });
    expect(await ${camel}(stores, 'org_unknown')).toBeUndefined();
  });`,
    )}`,
    e2eTest: `
import { ${camel} } from '../../../shared/messages/dashboard/${area}.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { anOrg } from '../../support/organizations/orgs.ts';

describe('${name}', () => {
  it('answers the name of the organization', async () => {
    const asViewer = await acting(await aMember(await anOrg(), 'viewer'));
    expect(await asViewer(${camel})).toMatchObject({ status: 200, body: { name: expect.any(String) } });
  });
});
`,
    row: `
    uses: { ORGANIZATIONS_TABLE: table('organizations', ['GetItem']) },
    ifItFails: 'The page shows an error; nothing else is touched.',`,
    route: `
  method: 'GET',
  path: '/${name}',
  role: 'viewer',
  answer: z.object({ name: z.string() }),`,
    answers: "{ summary: 'Read the name of the organization', success: 200, errors: ['org_not_found'] }",
    docs: [`\`GET /api/dashboard/${name}\``, 'reads the member and the organization'],
  };
};
