import type { Plan } from '../plan.ts';
import { operationImport, type Template, unitTestOf } from '../template.ts';

export const webhook = (plan: Plan): Template => {
  const { name, camel, pascal } = plan;
  return {
    folder: 'webhooks',
    entry: `
import * as z from 'zod/mini';
${operationImport(plan, '../../')}
import { readConfig } from '../../shared/runtime/config.ts';
import { deliveryAnswer } from '../../shared/runtime/delivery-answer.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { webhookRoute } from '../../shared/runtime/webhook-route.ts';
import { connectionStore } from '../../shared/stores/connections/connections.ts';

const config = readConfig({ CONNECTIONS_TABLE: z.string() });
const deps = { connections: connectionStore(documentClient(), config.CONNECTIONS_TABLE) };

export const handler = webhookRoute(async ({ path }) => deliveryAnswer(await ${camel}(deps, path.connectionId ?? '')));
`,
    operation: `
type ${pascal}Deps = { connections: { get: (connectionId: string) => Promise<object | undefined> } };

/** Accepts a delivery for a connection that exists. */
export async function ${camel}(
  deps: ${pascal}Deps,
  connectionId: string,
): Promise<'received' | 'unknown connection'> {
  return (await deps.connections.get(connectionId)) ? 'received' : 'unknown connection';
}
`,
    unitTest: unitTestOf(
      plan,
      `
  const connections = { get: async (id: string) => (id === 'conn_1' ? {} : undefined) };

  it.each([
    ['conn_1', 'received'],
    ['conn_2', 'unknown connection'],
  ])('answers a delivery for %s with %j', async (id, receipt) => {
    expect(await ${camel}({ connections }, id)).toBe(receipt);
  });`,
    ),
    e2eTest: `
import { request } from '../../support/rest/rest.ts';

describe('${name}', () => {
  it('answers 404 for a connection that does not exist', async () => {
    expect((await request('POST', '/api/webhooks/${name}/conn_unknown', { body: {} })).status).toBe(404);
  });
});
`,
    row: `
    entry: 'webhooks/${name}',
    trigger: http('POST /api/webhooks/${name}/{connectionId}'),
    uses: { CONNECTIONS_TABLE: table('connections', ['GetItem']) },
    ifItFails: 'The sender sees 500 and repeats its delivery.',`,
    route: `
    method: 'POST',
    path: '/api/webhooks/${name}/{connectionId}',
    summary: 'Receive a delivery',
    proof: 'body',
    request: object,
    answers: { 200: { description: 'Received.', schema: received } },
    refusals: { 401: 'unauthorized', 404: 'unknown connection', 500: 'internal error' },`,
    docs: [`\`POST /api/webhooks/${name}/{connectionId}\``, 'reads the connection'],
  };
};
