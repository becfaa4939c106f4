import type { Plan } from '../plan.ts';
import { operationImport, type Template, unitTestOf } from '../template.ts';

export const rest = (plan: Plan): Template => {
  const { name, camel, pascal, shelf } = plan;
  const admission = shelf === 'organizations' ? './steps/admit-request.ts' : '../organizations/steps/admit-request.ts';
  return {
    folder: 'rest',
    entry: `
import * as z from 'zod/mini';
${operationImport(plan, '../../')}
import { quick } from '../../shared/runtime/aws.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { rateHeaders, refuseAdmission } from '../../shared/runtime/rest/rest-admission.ts';
import { restRoute } from '../../shared/runtime/rest/rest-route.ts';
import { wireKeyAdmission } from '../../shared/wiring/key-admission.ts';

const config = readConfig({
  API_KEYS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  RATE_LIMITS_TABLE: z.string(),
});
const db = documentClient(quick);

const deps = wireKeyAdmission(config, db);

export const handler = restRoute(async ({ headers: { authorization } }) => {
  const result = await ${camel}(deps, authorization);
  const headers = 'rate' in result ? rateHeaders(result.rate) : {};
  return result.kind === 'done'
    ? { status: 200, headers, body: { org_id: result.orgId } }
    : refuseAdmission(result, headers);
});
`,
    operation: `
import { type Admission, type AdmitRequestDeps, admitRequest } from '${admission}';

type ${pascal}Result =
  | Exclude<Admission, { kind: 'admitted' }>
  | { kind: 'done'; orgId: string; rate: Extract<Admission, { kind: 'admitted' }>['rate'] };

/** Answers the organization of the API key. */
export async function ${camel}(deps: AdmitRequestDeps, authorization: string | undefined): Promise<${pascal}Result> {
  const admission = await admitRequest(deps, authorization, { permission: 'calls:read' });
  if (admission.kind !== 'admitted') return admission;
  return { kind: 'done', orgId: admission.org.org_id, rate: admission.rate };
}
`,
    unitTest: unitTestOf(
      plan,
      `
  it('refuses a request without an API key, without a read', async () => {
    const read = () => Promise.reject(new Error('read'));
    const ignore = () => undefined;
    const deps = {
      apiKeys: { get: read },
      organizations: { get: read },
      keyCounters: { count: read, begin: read },
      now: () => new Date(0),
      count: ignore,
      correlate: ignore,
    };
    expect(await ${camel}(deps, undefined)).toEqual({ kind: 'refused', error: 'missing_api_key' });
  });`,
    ),
    e2eTest: `
import { anOrg } from '../../support/organizations/orgs.ts';
import { request } from '../../support/rest/rest.ts';

describe('${name}', () => {
  it('answers the organization of the API key', async () => {
    const { apiKey, orgId } = await anOrg();
    expect(await request('GET', '/v1/${name}', { key: apiKey })).toMatchObject({ status: 200, body: { org_id: orgId } });
  });

  it('refuses a request without an API key', async () => {
    expect((await request('GET', '/v1/${name}')).status).toBe(401);
  });
});
`,
    row: `
    entry: 'rest/${name}',
    trigger: http('GET /v1/${name}'),
    uses: { ...restAdmission, ORGANIZATIONS_TABLE: table('organizations', ['GetItem']) },
    ifItFails: 'The client sees 500 or 503; no data changes.',`,
    route: `
    method: 'GET',
    path: '/v1/${name}',
    summary: 'Answer the organization of the API key',
    proof: 'apiKey',
    answers: { 200: { description: 'The organization.', schema: z.object({ org_id: z.string() }) } },
    errors: ['insufficient_permissions'],`,
    docs: [`\`GET /v1/${name}\``, 'reads key and org; counts the request'],
  };
};
