import { writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parse } from 'yaml';
import { restRoutes } from '../../shared/messages/rest/routes.ts';
import { fuzz, installFuzzer } from '../fuzz/schemathesis.ts';
import { aCrmBConnection } from '../support/crm-b.ts';
import { aFinishedCall } from '../support/finished-call.ts';
import { aConnection, webhookPath } from '../support/leads.ts';
import { anOrg } from '../support/orgs.ts';
import { aPhoneNumber, request } from '../support/rest.ts';
import { concurrently, crmB, environment } from '../support/stack.ts';

/** `npm run fuzz` sends many, from a random seed; `npm test` a few, always the same. */
const isLong = process.env.FAULTS === 'matrix';
const EXAMPLES = isLong ? 2_000 : 12;
const seed = isLong ? Math.floor(Math.random() * 2 ** 31) : 1;
const UNLIMITED = 1_000_000;

/** The runner of the tests hides the console. */
const tell = (text: string) => writeSync(2, `${text}\n`);

describe('show-openapi', () => {
  it('answers the document of docs/openapi.yaml, without a key', async () => {
    const { status, body } = await request('GET', '/openapi.json');
    expect([status, body]).toEqual([200, parse(await readFile('docs/openapi.yaml', 'utf8'))]);
  });
});

/** `npm run fuzz` has a process for each route. One process for all starts once: quicker for few requests. */
const fuzzed: (Route | undefined)[] = isLong ? [...restRoutes] : [undefined];

type Route = (typeof restRoutes)[number];

/** An organization, with what the routes' ids name, and the values that prove who sends. */
async function aTarget() {
  const org = await anOrg({
    credits: 500,
    // Calls are placed, until the credit is held, and none is dialed.
    limits: { requests_per_minute: UNLIMITED, outbound_per_minute: UNLIMITED, max_live_calls: 0 },
  });
  // Leads are decided, and none is called.
  const { connection, token } = await aConnection({ auto_call: false }, org);
  const { connectionId } = await aCrmBConnection({ auto_call: false }, org);
  const channel = (await crmB.channels()).find(({ notifyUrl }) => notifyUrl.endsWith(connectionId));
  const { call_id: id } = await aFinishedCall(org, 'user: I want to see the flat.');
  const crmBPath = '/api/webhooks/crm-b/{connectionId}';
  return {
    known: {
      '/v1/calls/{id}': { id },
      '/v1/calls/{id}/analyze': { id },
      '/v1/assistants/{id}/knowledge-base': { id: org.assistantId },
      '/api/recordings/{callId}': { callId: id },
      [webhookPath('{connectionId}')]: { connectionId: connection.connection_id },
      [crmBPath]: { connectionId },
      'body /v1/calls/outbound': { assistant_id: org.assistantId, phone_number: aPhoneNumber() },
      [`body ${crmBPath}`]: { token: channel?.token ?? '' },
    } as Record<string, Record<string, string>>,
    headers: { apiKey: { Authorization: `Bearer ${org.apiKey}` }, webhookToken: { 'X-CRMA-Webhook-Token': token } },
  };
}

describe('the API', () => {
  it(`answers random requests as its document says, and never with 5xx (seed ${seed})`, async () => {
    const python = await installFuzzer();
    if (!python) return;
    const { known, headers } = await aTarget();
    const common = { url: environment.base_url, known, examples: EXAMPLES, seed };
    const results = await concurrently(availableParallelism(), fuzzed, async (route) => {
      if (!route) return fuzz(python, { ...common, headers: Object.assign({}, ...Object.values(headers)) });
      const name = `${route.method} ${route.path}`;
      const started = performance.now();
      // Without the proof of another route: then its authentication would not be checked.
      const own = { ...headers[route.proof as keyof typeof headers] };
      const result = await fuzz(python, { ...common, route: name, headers: own });
      const { code, output, cases, statuses } = result;
      const facts = `${cases} requests in ${((performance.now() - started) / 1000).toFixed(0)} s`;
      tell(`${code === 0 ? 'ok    ' : `${output}\nFAILED`} ${name}: ${facts}, ${JSON.stringify(statuses)}`);
      return result;
    });
    const failed = results.filter(({ code }) => code !== 0).map(({ output }) => output);
    expect(failed.join('\n')).toBe('');
    // A route without parameters and body has one request only.
    const cases = results.reduce((sum, result) => sum + result.cases, 0);
    expect(cases).toBeGreaterThan((restRoutes.length * EXAMPLES) / 2);
  });

  it('answers no route without the proof of who sends', async () => {
    const { known } = await aTarget();
    const refused = { apiKey: 401, webhookToken: 401, callSignature: 401, body: 401, link: 403, state: 400 };
    const wrong = { Authorization: 'Bearer svc_live_x', 'X-CRMA-Webhook-Token': 'x', 'X-Call-Signature': 'x' };
    const wrongQuery = '?expires=9&key=x&signature=x&state=x&code=x';
    const proved = restRoutes.filter(({ proof }) => proof !== 'none');
    const answers = await Promise.all(
      proved.map(async ({ method, path, proof }) => {
        const named = path.replace(/\{(\w+)\}/g, (_, name) => known[path]?.[name] ?? 'x');
        const body = { ...known[`body ${path}`], ...(proof === 'body' && { token: 'x' }) };
        const sent = method === 'GET' ? {} : { body };
        const without = await request(method, named, proof === 'body' ? { body: {} } : sent);
        const forged = await request(method, named + wrongQuery, { ...sent, headers: wrong });
        return [`${method} ${path}`, without.status, forged.status];
      }),
    );
    const status = (proof: string) => refused[proof as keyof typeof refused];
    expect(answers).toEqual(
      proved.map(({ method, path, proof }) => [`${method} ${path}`, status(proof), status(proof)]),
    );
  });
});
