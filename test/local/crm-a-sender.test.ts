import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { isValidPhoneNumber } from 'libphonenumber-js';
import { planBurst } from '../../local/simulators/crm-a/burst-plan.ts';
import { LEAD_NUMBERS, newLead, ownerReassignment } from '../../local/simulators/crm-a/payloads.ts';
import { crmASender, NoAnswer } from '../../local/simulators/crm-a/sender.ts';
import { forAll } from '../support/values/for-all.ts';
import { runInProcess } from './support/in-process.ts';
import { runProgram } from './support/programs.ts';
import { close, listen } from './support/servers.ts';

const OWNER = '0b1c2d3e-0000-4000-8000-00000000beef';
const AT = new Date('2026-10-06T17:45:19.321Z');
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/;
const lead = (number: number, more: object = {}) => newLead({ number, owner: OWNER, at: AT, ...more });
const numbers = fc.integer({ min: 0, max: LEAD_NUMBERS - 1 });

describe('the bodies of CRM-A', () => {
  it('are flat, with about 70 fields, an Indian mobile with a hyphen, GUIDs, flags as text and times without zone', () => {
    forAll([numbers], (number) => {
      const { Phone, Mobile, ...others } = lead(number);
      const values = Object.values(others);
      expect(values.length).toBeGreaterThanOrEqual(63);
      expect(values.filter((value) => value !== null && typeof value !== 'string')).toEqual([]);
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
    });
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

  it('is the same for the same seed', () => {
    expect(plan(200, 20, 10)).toEqual(plan(200, 20, 10));
    expect(plan(200, 20, 10, 90_000)).not.toEqual(plan(200, 20, 10));
  });

  it('has the requested shares of repeated bodies and shared phones', () => {
    const percent = fc.integer({ min: 0, max: 100 });
    forAll([fc.integer({ min: 1, max: 80 }), percent, percent, numbers], (posts, duplicates, shared, seed) => {
      const bodies = plan(posts, duplicates, shared, seed);
      const leads = posts - Math.min(Math.round((posts * duplicates) / 100), posts - 1);
      const phones = leads - Math.min(Math.round((leads * shared) / 100), leads - 1);
      expect(bodies.length).toBe(posts);
      expect(distinct(bodies, 'ProspectID')).toBe(leads);
      expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(leads);
      expect(distinct(bodies, 'Phone')).toBe(phones);
    });
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
    const body = await text(request);
    const status = answer(received.push({ method: request.method, headers: request.headers, body }) - 1);
    if (status === undefined) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(request.method === 'HEAD' ? undefined : JSON.stringify(status === 200 ? { received: true } : {}));
  });
  url = await listen(server);
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await close(server);
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

  it('sends every body of a burst once, and counts the answers', async () => {
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

  it('starts no more requests after 10 failures in a row, at any concurrency', async () => {
    answer = () => 401;
    const { posts, turnedOff } = await sender().burst(leads(50), 4);
    expect([turnedOff, posts >= 10, posts <= 13]).toEqual([true, true, true]);
  });

  it('counts a missing answer as a failure', async () => {
    answer = () => undefined;
    const { statuses, turnedOff } = await crmASender({ url, token: 't' }, 200).burst(leads(12), 12);
    expect(Object.fromEntries(statuses)).toEqual({ 'no answer': 12 });
    expect(turnedOff).toBe(true);
  });
});

describe('the command', () => {
  const environmentFile = () => join(folder, 'environment.json');
  const connection = { connection_id: 'conn_1', token: 'demo-token', owner_id: OWNER };
  /** Writes the environment file, as `npm start` does. */
  const writeEnvironment = (environment: object = { base_url: url, connections: { crm_a: connection } }) =>
    writeFileSync(environmentFile(), JSON.stringify(environment));
  /** Runs the command. `ORIGIN` in its arguments becomes the origin of the server. */
  const simulate = (...args: string[]) => runWith(runInProcess, args);
  const runWith = (run: typeof runInProcess | typeof runProgram, args: string[]) =>
    run(['local/simulators/crm-a/main.ts', ...args.map((arg) => arg.replace('ORIGIN', url))], {
      CALLING_SERVICE_ENVIRONMENT: environmentFile(),
    });
  const elsewhere = ['--url', 'ORIGIN/hook', '--token', 'other-token', '--owner', 'owner-2'];
  const posted = () => received.map(({ body }) => JSON.parse(body));

  it('posts a new lead to the demo connection', async () => {
    writeEnvironment();
    const args = ['new-lead', '--phone', '+919812345679', '--first-name', 'Meera'];
    const { code, out, error } = await runWith(runProgram, args);
    expect([code, error]).toEqual([0, '']);
    expect(out).toMatch(/^200 \{"received":true\}\nlead [-0-9a-f]{36}, Meera, \+91-9812345679, owner 0b1c2d3e/);
    expect(received[0]?.headers['x-crma-webhook-token']).toBe('demo-token');
    expect(posted()).toMatchObject([{ FirstName: 'Meera', Phone: '+91-9812345679', OwnerId: OWNER }]);
  });

  it('reassigns a lead of another connection on request', async () => {
    expect(await simulate('reassign', '--id', 'lead-1', ...elsewhere)).toMatchObject({ code: 0, error: '' });
    expect(received[0]?.headers['x-crma-webhook-token']).toBe('other-token');
    expect(posted()).toMatchObject([{ After: { ProspectID: 'lead-1', OwnerId: 'owner-2' } }]);
  });

  it('registers a webhook', async () => {
    const registered = await simulate('register', '--url', 'ORIGIN/hook');
    expect(registered).toEqual({ code: 0, error: '', out: 'HEAD 200\nGET  200' });
  });

  it('reports the results of a burst', async () => {
    writeEnvironment();
    const { code, out } = await simulate('burst', '20', '--seed', '11');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^20 posts in [\d.]+ s, [\d.]+ accepted\/s\n {2}200 +20\n16 distinct leads, 14 distinct phones \(--seed 11/,
    );
    expect(new Set(posted().map(({ ProspectID }) => ProspectID)).size).toBe(16);
  });

  // fetch refuses port 9 and some others before it connects, but not port 2.
  const unreachable = { base_url: 'http://127.0.0.1:2', connections: { crm_a: connection } };
  it.each<[string, { environment?: object; status?: number }, string[], RegExp]>([
    [
      'no service runs',
      {},
      ['new-lead'],
      /^No service runs here \(.*environment\.json does not exist\): start the service/,
    ],
    [
      'the service has no connection',
      { environment: { base_url: 'http://127.0.0.1:9' } },
      ['new-lead'],
      /environment\.json names no connection to CRM-A: restart the service with npm start\.$/,
    ],
    [
      'the service does not answer',
      { environment: unreachable },
      ['new-lead'],
      / does not answer \(ECONNREFUSED\): is the service running \(npm start\)\?$/,
    ],
    [
      'the token is refused',
      { status: 401 },
      ['new-lead', ...elsewhere],
      /\/hook refuses the token \(401\): give the connection's token with --token\.$/,
    ],
    [
      'a burst fails ten times in a row',
      { status: 401 },
      ['burst', '30', '--at-once', '1', ...elsewhere],
      /^LeadSquared would turn the webhook off after these 10 failures in a row; the other 20 posts were not sent\.$/,
    ],
    [
      'the connection is unknown',
      { status: 404 },
      ['new-lead', ...elsewhere],
      /\/hook knows no such connection \(404\): check the address\.$/,
    ],
    [
      'the webhook cannot be registered',
      { status: 404 },
      ['register', '--url', 'ORIGIN'],
      /^LeadSquared would not accept this URL: it requires 2xx for both\.$/,
    ],
  ])('explains in one sentence, and exits with 1, if %s', async (_, { environment, status }, args, sentence) => {
    if (environment) writeEnvironment(environment);
    answer = () => status;
    expect(await simulate(...args)).toMatchObject({ code: 1, error: expect.stringMatching(sentence) });
  });

  it('is a process that ends with the same exit code', async () => {
    expect(await runWith(runProgram, ['burst', 'many'])).toMatchObject({ code: 2 });
  });

  const stranger = ['--url', 'https://crm.example.com/hook', '--token', 't', '--owner', 'o'];
  it.each<[string[], string]>([
    [[], 'Usage: simulate:crm-a'],
    [['burst', 'many'], "'many' is invalid"],
    [['burst', '5', '--duplicates', '101'], "'101' is invalid"],
    [['new-lead', '--url', 'ORIGIN/hook'], 'With --url, --token and --owner must be given, too.'],
    [['new-lead', '--url', 'nowhere'], '--url must be a webhook\'s address, not "nowhere".'],
    [['new-lead', ...stranger], 'Made-up phone numbers may be real people'],
    [['burst', '5', ...stranger], 'Made-up phone numbers may be real people'],
  ])('exits with 2 on wrong usage, without sending: %j', async (args, explanation) => {
    writeEnvironment();
    const { code, error } = await simulate(...args);
    expect([code, error.split('\n')[0]]).toEqual([2, expect.stringContaining(explanation)]);
    expect(received).toEqual([]);
  });
});
