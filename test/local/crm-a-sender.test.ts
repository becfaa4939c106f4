import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { isValidPhoneNumber } from 'libphonenumber-js';
import { planBurst } from '../../local/simulators/crm-a/burst-plan.ts';
import { LEAD_NUMBERS, newLead, ownerReassignment } from '../../local/simulators/crm-a/payloads.ts';
import { crmASender, NoAnswer } from '../../local/simulators/crm-a/sender.ts';

const OWNER = '0b1c2d3e-0000-4000-8000-00000000beef';
const AT = new Date('2026-10-06T17:45:19.321Z');
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/;
const lead = (number: number, more: object = {}) => newLead({ number, owner: OWNER, at: AT, ...more });
const numbers = fc.integer({ min: 0, max: LEAD_NUMBERS - 1 });

describe('the bodies of CRM-A', () => {
  it('are flat, with about 70 fields, every one a string or null', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const fields = Object.entries(lead(number));
        expect(fields.length).toBeGreaterThanOrEqual(65);
        expect(fields.filter(([, value]) => value !== null && typeof value !== 'string')).toEqual([]);
      }),
    );
  });

  it('have an Indian mobile with a hyphen, GUIDs, flags as text and times without zone', () => {
    fc.assert(
      fc.property(numbers, (number) => {
        const { Phone, Mobile, ...others } = lead(number);
        expect(Phone).toMatch(/^\+91-98\d{8}$/);
        expect(isValidPhoneNumber(Phone as string)).toBe(true);
        expect([null, Phone]).toContain(Mobile);
        expect(others).toMatchObject({
          ProspectID: expect.stringMatching(GUID),
          OwnerId: OWNER,
          DoNotCall: '0',
          CanUpdate: 'true',
          CreatedOn: '2026-10-06 17:45:19',
        });
      }),
    );
  });

  it('are identical for the same number, and have a distinct id and phone for each number', () => {
    expect(lead(7)).toEqual(lead(7));
    const many = Array.from({ length: 1_000 }, (_, number) => lead(number));
    for (const name of ['ProspectID', 'ProspectAutoId', 'Phone'])
      expect(new Set(many.map((fields) => fields[name])).size).toBe(1_000);
    expect(many.some(({ Mobile }) => Mobile === null)).toBe(true);
    expect(many.some(({ Notes }) => Notes?.includes('{mxnewline}'))).toBe(true);
  });

  it('contain the requested values', () => {
    const wishes = { id: 'lead-1', phone: '+919812345679', firstName: 'Meera', city: 'Surat', doNotCall: true };
    expect(lead(1, wishes)).toMatchObject({
      ProspectID: 'lead-1',
      Phone: '+91-9812345679',
      FirstName: 'Meera',
      mx_City: 'Surat',
      DoNotCall: '1',
    });
    expect(lead(1, { phone: '+12025550123' }).Phone).toBe('+1-2025550123');
    expect(lead(1, { phone: 'none' }).Phone).toBe('none');
  });

  it('have the lead before and after a change of its owner', () => {
    const { Before, After } = ownerReassignment({ number: 3, owner: OWNER, at: AT });
    expect(Object.keys(Before)).toEqual(Object.keys(lead(3)));
    expect(Object.keys(After)).toEqual(Object.keys(Before));
    expect(After.OwnerId).toBe(OWNER);
    const differing = Object.keys(After).filter((name) => After[name] !== Before[name]);
    expect(differing).toEqual(['OwnerId', 'OwnerIdName', 'OwnerIdEmailAddress']);
  });
});

describe('a burst', () => {
  const plan = (posts: number, duplicates: number, sharedPhones: number, seed = 5) =>
    planBurst({ posts, duplicates, sharedPhones, seed, owner: OWNER, at: AT });
  const distinct = (bodies: ReturnType<typeof plan>, name: string) => new Set(bodies.map((body) => body[name])).size;

  it('has exactly the requested shares of duplicates and shared phones', () => {
    const bodies = plan(200, 20, 10);
    expect(bodies.length).toBe(200);
    expect(distinct(bodies, 'ProspectID')).toBe(160);
    expect(distinct(bodies, 'Phone')).toBe(144);
    expect(plan(200, 20, 10)).toEqual(bodies);
    expect(plan(200, 20, 10, 90_000)).not.toEqual(bodies);
  });

  it('has any requested shares, and repeats whole bodies', () => {
    const percent = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 80 }), percent, percent, numbers, (posts, duplicates, shared, seed) => {
        const bodies = plan(posts, duplicates, shared, seed);
        const leads = posts - Math.min(Math.round((posts * duplicates) / 100), posts - 1);
        const phones = leads - Math.min(Math.round((leads * shared) / 100), leads - 1);
        expect(bodies.length).toBe(posts);
        expect(distinct(bodies, 'ProspectID')).toBe(leads);
        expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(leads);
        expect(distinct(bodies, 'Phone')).toBe(phones);
      }),
    );
  });
});

type Received = { method: string | undefined; headers: IncomingHttpHeaders; body: string };

let server: Server;
let url: string;
let received: Received[];
/** Answers with the statuses in turn, counted from 0; undefined leaves the request open. */
let answer: (index: number) => number | undefined;
let folder: string;

beforeEach(async () => {
  received = [];
  answer = () => 200;
  folder = mkdtempSync(join(tmpdir(), 'crm-a-'));
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const status = answer(received.push({ method: request.method, headers: request.headers, body }) - 1);
    if (status === undefined) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(status === 200 ? { received: true } : {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the sender', () => {
  const sender = () => crmASender({ url: `${url}/hook`, token: 'the-token' });
  const leads = (count: number) => Array.from({ length: count }, (_, number) => lead(number));

  it('registers with HEAD, then GET, without token and body', async () => {
    expect(await sender().register()).toEqual({ head: 200, get: 200 });
    expect(received.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
    for (const { headers, body } of received) {
      expect(headers).not.toHaveProperty('x-crma-webhook-token');
      expect(body).toBe('');
    }
  });

  it('posts JSON with the token', async () => {
    expect(await sender().post(lead(1))).toEqual({ status: 200, text: '{"received":true}' });
    expect(received).toMatchObject([
      { method: 'POST', headers: { 'content-type': 'application/json', 'x-crma-webhook-token': 'the-token' } },
    ]);
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(lead(1));
  });

  it('gives up if the server does not answer', async () => {
    answer = () => undefined;
    await expect(crmASender({ url, token: 't' }, 200).post(lead(1))).rejects.toThrow(NoAnswer);
  });

  it('sends every body of a burst once, and counts', async () => {
    answer = (index) => (index % 5 === 0 ? 500 : 200);
    const result = await sender().burst([...leads(20), lead(3)], 4);
    expect(result).toMatchObject({ posts: 21, leads: 20, phones: 20, turnedOff: false });
    expect(Object.fromEntries(result.statuses)).toEqual({ 200: 16, 500: 5 });
    const ids = received.map(({ body }) => JSON.parse(body).ProspectID);
    expect(ids.sort()).toEqual([...leads(20), lead(3)].map(({ ProspectID }) => ProspectID).sort());
  });

  it('stops a burst after 10 failures in a row, and not before', async () => {
    answer = (index) => (index === 9 ? 200 : 503);
    const result = await sender().burst(leads(50), 1);
    expect(result).toMatchObject({ posts: 20, leads: 20, turnedOff: true });
    expect(Object.fromEntries(result.statuses)).toEqual({ 200: 1, 503: 19 });
    expect(received.length).toBe(20);
  });

  it('starts no more requests after that, whatever the concurrency', async () => {
    answer = () => 401;
    const { posts, turnedOff } = await sender().burst(leads(50), 4);
    expect(turnedOff).toBe(true);
    expect(posts).toBeGreaterThanOrEqual(10);
    expect(posts).toBeLessThanOrEqual(13);
  });

  it('counts a missing answer as a failure', async () => {
    answer = () => undefined;
    const { statuses, turnedOff } = await crmASender({ url, token: 't' }, 200).burst(leads(12), 12);
    expect(Object.fromEntries(statuses)).toEqual({ 'no answer': 12 });
    expect(turnedOff).toBe(true);
  });
});

describe('the command', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const environmentFile = () => join(folder, 'environment.json');

  /** The environment file, as `npm start` writes it. */
  const runs = (base_url = url) =>
    writeFileSync(
      environmentFile(),
      JSON.stringify({
        base_url,
        connections: { crm_a: { connection_id: 'conn_1', token: 'demo-token', owner_id: OWNER } },
      }),
    );

  async function simulate(...args: string[]) {
    const child = spawn(process.execPath, ['local/simulators/crm-a/main.ts', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '', CALLING_SERVICE_ENVIRONMENT: environmentFile() },
    });
    const said = { out: '', error: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.error += text));
    const [code] = await once(child, 'close');
    return { code, out: said.out.trim(), error: said.error.trim() };
  }

  const elsewhere = (token = 'other-token') => ['--url', `${url}/hook`, '--token', token, '--owner', 'owner-2'];
  const posted = () => received.map(({ body }) => JSON.parse(body));

  it('posts a new lead to the demo connection', async () => {
    runs();
    const { code, out, error } = await simulate('new-lead', '--phone', '+919812345679', '--first-name', 'Meera');
    expect([code, error]).toEqual([0, '']);
    expect(out).toMatch(/^200 \{"received":true\}\nlead [-0-9a-f]{36}, Meera, \+91-9812345679, owner 0b1c2d3e/);
    expect(received[0]?.headers['x-crma-webhook-token']).toBe('demo-token');
    expect(posted()).toMatchObject([{ FirstName: 'Meera', Phone: '+91-9812345679', OwnerId: OWNER }]);
  });

  it('posts to another connection on request', async () => {
    const results = await Promise.all([
      simulate('reassign', '--id', 'lead-1', ...elsewhere()),
      simulate('register', '--url', `${url}/hook`),
    ]);
    expect(results.map(({ code, error }) => [code, error])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    expect(results[1].out).toBe('HEAD 200\nGET  200');
    const posts = received.filter(({ method }) => method === 'POST');
    expect(posts.map(({ headers }) => headers['x-crma-webhook-token'])).toEqual(['other-token']);
    expect(JSON.parse(posts[0]?.body ?? '')).toMatchObject({ After: { ProspectID: 'lead-1', OwnerId: 'owner-2' } });
  });

  it('reports the results of a burst', async () => {
    runs();
    const { code, out } = await simulate('burst', '20', '--seed', '11');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^20 posts in [\d.]+ s, [\d.]+ accepted\/s\n {2}200 +20\n16 distinct leads, 14 distinct phones \(--seed 11/,
    );
    expect(new Set(posted().map(({ ProspectID }) => ProspectID)).size).toBe(16);
  });

  it('reports an error in one sentence and exits with 1', async () => {
    const missing = await simulate('new-lead');
    writeFileSync(environmentFile(), '{"base_url": "http://127.0.0.1:1"}');
    const unconnected = await simulate('new-lead');
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    runs(`http://127.0.0.1:${port}`);
    const silent = await simulate('new-lead');
    answer = () => 401;
    const refused = await simulate('new-lead', ...elsewhere('wrong'));
    const stopped = await simulate('burst', '30', '--at-once', '1', ...elsewhere('wrong'));
    answer = () => 404;
    const [unknown, unregistered] = [
      await simulate('new-lead', ...elsewhere()),
      await simulate('register', '--url', url),
    ];

    const results = [missing, unconnected, silent, refused, stopped, unknown, unregistered];
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 1));
    expect(results.map(({ error }) => error)).toEqual([
      expect.stringMatching(
        /^Nothing runs here \(.*environment\.json is not there\): start the service with npm start,.*$/,
      ),
      expect.stringMatching(/environment\.json names no connection to CRM-A: start the service anew with npm start\.$/),
      expect.stringMatching(/ does not answer \(ECONNREFUSED\): is the service running \(npm start\)\?$/),
      `${url}/hook refuses the token (401): give the connection's token with --token.`,
      'LeadSquared would turn the webhook off after these 10 failures in a row; the other 20 posts were not sent.',
      `${url}/hook knows no such connection (404): look at the address.`,
      'LeadSquared would not take this URL: it wants 2xx for both.',
    ]);
    expect(stopped.out).toContain('401        10');
  });

  it('exits with 2 on wrong usage, without sending', async () => {
    runs();
    const stranger = ['--url', 'https://crm.example.com/hook', '--token', 't', '--owner', 'o'];
    const results = await Promise.all([
      simulate(),
      simulate('burst', 'many'),
      simulate('burst', '5', '--duplicates', '101'),
      simulate('new-lead', '--url', `${url}/hook`),
      simulate('new-lead', '--url', 'nowhere'),
      simulate('new-lead', ...stranger),
      simulate('burst', '5', ...stranger),
    ]);
    expect(results.map(({ code }) => code)).toEqual(results.map(() => 2));
    expect(results.map(({ error }) => error.split('\n')[0])).toEqual([
      expect.stringContaining('Usage: simulate:crm-a'),
      expect.stringContaining("'many' is invalid"),
      expect.stringContaining("'101' is invalid"),
      'With --url, --token and --owner must be given, too.',
      '--url must be a webhook\'s address, not "nowhere".',
      expect.stringContaining('Made-up phone numbers may be real people'),
      expect.stringContaining('Made-up phone numbers may be real people'),
    ]);
    expect(received).toEqual([]);
  });
});
