import type { Plan } from '../plan.ts';
import { operationImport, type Template, unitTestOf } from '../template.ts';

export const oauth = (plan: Plan): Template => {
  const { name, camel, pascal } = plan;
  return {
    folder: 'oauth',
    entry: `
import * as z from 'zod/mini';
${operationImport(plan, '../../')}
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { oauthRoute } from '../../shared/runtime/oauth-route.ts';
import { oauthStateStore } from '../../shared/stores/connections/oauth-states.ts';

const config = readConfig({
  OAUTH_STATES_TABLE: z.string(),
  PUBLIC_URL: z.url(),
});
const states = oauthStateStore(documentClient(), config.OAUTH_STATES_TABLE);
const deps = { takeState: (state: string) => states.take(state, 'crm-b', clock()) };

export const handler = oauthRoute(
  (callback) => ${camel}(deps, callback),
  config.PUBLIC_URL,
);
`,
    operation: `
type ${pascal}Deps = { takeState: (state: string) => Promise<object | undefined> };
type ${pascal}Result = { kind: 'invalid_state' } | { kind: 'failed'; error: string };

/** Takes the state of a consent, which works once, and refuses the consent. */
export async function ${camel}(
  deps: ${pascal}Deps,
  callback: { state: string | undefined; error: string | undefined },
): Promise<${pascal}Result> {
  const state = callback.state && (await deps.takeState(callback.state));
  return state ? { kind: 'failed', error: callback.error ?? 'access_denied' } : { kind: 'invalid_state' };
}
`,
    unitTest: unitTestOf(
      plan,
      `
  const takeState = async (state: string) => (state === 'known' ? {} : undefined);

  it.each([undefined, 'unknown'])('refuses the state %j', async (state) => {
    expect(await ${camel}({ takeState }, { state, error: undefined })).toEqual({ kind: 'invalid_state' });
  });

  it('returns the reason why a consent failed', async () => {
    const callback = { state: 'known', error: 'server_error' };
    expect(await ${camel}({ takeState }, callback)).toEqual({ kind: 'failed', error: 'server_error' });
  });`,
    ),
    e2eTest: `
import { request } from '../../support/rest/rest.ts';

describe('${name}', () => {
  it('refuses a state that it did not issue', async () => {
    expect((await request('GET', '/api/oauth/${name}/callback?state=unknown')).status).toBe(400);
  });
});
`,
    row: `
    entry: 'oauth/${name}',
    trigger: http('GET /api/oauth/${name}/callback'),
    uses: { OAUTH_STATES_TABLE: table('oauth-states', ['UpdateItem']), PUBLIC_URL: setting('publicUrl') },
    ifItFails: 'The person who connects sees 500 and begins again.',`,
    route: `
    method: 'GET',
    path: '/api/oauth/${name}/callback',
    summary: 'Complete a consent',
    ...oauthCallback,`,
    docs: [`\`GET /api/oauth/${name}/callback\``, 'uses up the state'],
  };
};
