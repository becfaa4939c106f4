import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { restRoutes } from '../../shared/messages/rest/routes.ts';
import { fuzz, installFuzzer } from '../fuzz/schemathesis.ts';
import { aFinishedCall } from '../support/finished-call.ts';
import { aConnection, webhookPath } from '../support/leads.ts';
import { anOrg } from '../support/orgs.ts';
import { request } from '../support/rest.ts';
import { environment } from '../support/stack.ts';

/** `npm run fuzz` sends many, from a random seed; `npm test` a few, always the same. */
const isLong = process.env.FAULTS === 'matrix';
const EXAMPLES = isLong ? 2_000 : 12;
const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 1;
const UNLIMITED = 1_000_000;

describe('show-openapi', () => {
  it('answers the document of docs/openapi.yaml, without a key', async () => {
    const { status, body } = await request('GET', '/openapi.json');
    expect([status, body]).toEqual([200, parse(await readFile('docs/openapi.yaml', 'utf8'))]);
  });
});

describe('the API', () => {
  it(`answers random requests as its document says, and never with 5xx (seed ${seed})`, async () => {
    const python = await installFuzzer();
    if (!python) return;
    const org = await anOrg({
      credits: 50,
      limits: { requests_per_minute: UNLIMITED, outbound_per_minute: UNLIMITED },
    });
    const { connection, token } = await aConnection({}, org);
    const { call_id: id } = await aFinishedCall(org, 'user: I want to see the flat.');
    const { code, output, cases } = await fuzz(python, {
      url: environment.base_url,
      headers: { Authorization: `Bearer ${org.apiKey}`, 'X-CRMA-Webhook-Token': token },
      known: {
        '/v1/calls/{id}': { id },
        '/v1/calls/{id}/analyze': { id },
        '/v1/assistants/{id}/knowledge-base': { id: org.assistantId },
        [webhookPath('{connectionId}')]: { connectionId: connection.connection_id },
        'body /v1/calls/outbound': { assistant_id: org.assistantId },
      },
      examples: EXAMPLES,
      seed,
    });
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    // A route without parameters and body has one request only.
    expect(cases).toBeGreaterThan((restRoutes.length * EXAMPLES) / 2);
  });
});
