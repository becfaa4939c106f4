import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { faultProxy, type ProxiedStack } from '../support/stack/fault-proxy.ts';

/** The requests that reached the upstream, and the killed workers: process 7 sends every request. */
const arrived: string[] = [];
const killed: number[] = [];
const upstream = http.createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  arrived.push(`${request.method} ${request.url} ${Buffer.concat(chunks)}`);
  response.writeHead(201, { 'x-answer': 'yes' }).end(`answer to ${request.headers.host}`);
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

const ORIGINAL = {
  AWS_ENDPOINT_URL: url,
  VOICE_API_URL: `${url}/voice`,
  DIAL_QUEUE_URL: `${url}/0/dial`,
  STAGE: 'local',
};
const variables = new Map<string, Record<string, string>>();
const stack: ProxiedStack = {
  environment: {
    emulator_url: url,
    simulators: { voice: `${url}/voice`, crm_b: url, crm_b_accounts: url, help_desk: url },
  },
  nothingIsUnderWay: async () => undefined,
  variablesOf: async (name) => ({ ...variables.get(name) }),
  configure: async (name, next) => void variables.set(name, next),
  workerBehind: async () => 7,
  killWorker: (pid) => void killed.push(pid),
};

const CALL = `call_${'a'.repeat(32)}`;
const OTHER = `call_${'b'.repeat(32)}`;
const proxy = faultProxy(stack);
const addressOf = () => variables.get('dial-call')?.AWS_ENDPOINT_URL ?? '';
/** @returns the status of the answer, or 'broken' */
const send = (path: string, body?: string) =>
  fetch(`${addressOf()}${path}`, { method: body === undefined ? 'GET' : 'POST', body: body ?? null }).then(
    ({ status }) => status,
    () => 'broken',
  );

beforeEach(async () => {
  variables.set('dial-call', ORIGINAL);
  await proxy.between('dial-call');
  for (const list of [arrived, killed]) list.length = 0;
});
afterEach(() => proxy.remove());
afterAll(() => {
  upstream.close();
  upstream.closeAllConnections();
});

describe('the fault proxy', () => {
  it('passes requests and answers unchanged, with their Host header', async () => {
    const answer = await fetch(`${addressOf()}/a?b=1`, { method: 'POST', body: 'text' });
    expect([answer.status, answer.headers.get('x-answer')]).toEqual([201, 'yes']);
    expect(await answer.text()).toBe(`answer to ${new URL(addressOf()).host}`);
    expect(arrived).toEqual(['POST /a?b=1 text']);
  });

  it('counts the requests from the arming until the end of the plan, in order', async () => {
    await send('/before');
    const counting = proxy.arm('dial-call');
    await send('/one');
    await send(`/two/${CALL}?x=1`, '{}');
    counting.disarm();
    await send('/after');
    expect(counting.requests).toEqual(['aws GET /one', 'aws POST /two/…']);
    expect([counting.struck, counting.killed]).toEqual([undefined, undefined]);
  });

  it('affects the chosen request of its kind once: it arrives, and its answer is lost', async () => {
    const plan = proxy.arm('dial-call', { request: 2, what: 'aws GET /x', fault: 'drop' });
    expect([await send('/x'), await send('/y'), await send('/x'), await send('/x')]).toEqual([201, 201, 'broken', 201]);
    expect(arrived).toHaveLength(4);
    expect([plan.struck, plan.killed, killed]).toEqual(['aws GET /x', undefined, []]);
  });

  it('affects only requests for its calls, and their worker’s requests without a call', async () => {
    const plan = proxy.arm('dial-call', { request: 2, fault: 'drop', ids: [CALL] });
    expect([await send(`/${OTHER}`), await send('/z'), await send('/', CALL)]).toEqual([201, 201, 201]);
    expect(await send('/z')).toBe('broken');
    expect(plan.requests).toEqual(['aws POST /', 'aws GET /z']);
  });

  it.each([
    ['kill-before', 0],
    ['drop-and-kill', 1],
  ] as const)('kills the worker: %s, and %d requests arrive', async (fault, count) => {
    const plan = proxy.arm('dial-call', { request: 1, fault });
    expect(await send('/x')).toBe('broken');
    expect([arrived.length, plan.killed, killed]).toEqual([count, 7, [7]]);
  });

  it('is in front of every upstream of a function, and restores its variables exactly', async () => {
    const through = variables.get('dial-call') ?? {};
    expect(Object.keys(through)).toEqual(Object.keys(ORIGINAL));
    for (const name of ['AWS_ENDPOINT_URL', 'VOICE_API_URL', 'DIAL_QUEUE_URL'] as const)
      expect(new URL(through[name] ?? '').port).not.toBe(new URL(url).port);
    expect(through.STAGE).toBe('local');
    await proxy.remove();
    expect(variables.get('dial-call')).toEqual(ORIGINAL);
    await expect(fetch(`${through.AWS_ENDPOINT_URL}/`)).rejects.toThrow();
    expect(() => proxy.arm('dial-call')).toThrow('call between() first');
  });
});
