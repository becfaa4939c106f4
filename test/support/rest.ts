import { randomUUID } from 'node:crypto';
import type { CallView } from '../../shared/domain/calls/call-view.ts';
import type { TestOrg } from './orgs.ts';
import { environment, eventually } from './stack.ts';

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

type Asked = { key?: string; headers?: Record<string, string>; body?: object | string };

/** A request to the API, whose answer is looked at whatever it is. */
export async function requestOnce(
  method: string,
  path: string,
  { key, headers = {}, body }: Asked = {},
): Promise<Answer> {
  const response = await fetch(environment.base_url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : {} };
}

const MOST_REPEATS = 20;
const BUSY = 503;

/** Asks again while the service is busy, as its answer 503 says (docs/rest-api.md). @returns all answers. */
export async function untilNotBusy<A extends { status: number }>(ask: () => Promise<A>): Promise<[A, ...A[]]> {
  const answers: [A, ...A[]] = [await ask()];
  while (answers.at(-1)?.status === BUSY && answers.length <= MOST_REPEATS) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    answers.push(await ask());
  }
  return answers;
}

/**
 * A request to the API as a client sends it, once more while the service is busy. `body`: an object is sent as JSON, a string
 * as it is. @returns the last answer.
 */
export async function request(method: string, path: string, asked: Asked = {}): Promise<Answer> {
  const answers = await untilNotBusy(() => requestOnce(method, path, asked));
  return answers.at(-1) ?? answers[0];
}

const CALLS = '/v1/calls/outbound';

/** Without an idempotency key, a service that was busy may have placed the call all the same. */
export const postCall = (org: Pick<TestOrg, 'apiKey'>, body: object | string): Promise<Answer> =>
  request('POST', CALLS, { key: org.apiKey, body });

/** A client that repeats its request, with its idempotency key, while the service is busy. @returns all answers. */
export const postCallUntilTaken = (
  org: Pick<TestOrg, 'apiKey'>,
  body: { idempotency_key: string } & Record<string, unknown>,
): Promise<[Answer, ...Answer[]]> => untilNotBusy(() => requestOnce('POST', CALLS, { key: org.apiKey, body }));

/** Places a call that must be accepted, under a key of its own unless given. @returns its id. */
export async function placeCall(
  org: TestOrg,
  body: { phone_number: string } & Record<string, unknown>,
): Promise<string> {
  const answer = await postCall(org, { assistant_id: org.assistantId, idempotency_key: randomUUID(), ...body });
  if (answer.status !== 202) throw new Error(`not placed: ${answer.status} ${JSON.stringify(answer.body)}`);
  return String(answer.body.call_id);
}

export async function readCall(org: Pick<TestOrg, 'apiKey'>, callId: string): Promise<CallView> {
  const { status, body } = await request('GET', `/v1/calls/${callId}`, { key: org.apiKey });
  if (status !== 200) throw new Error(`not read: ${status} ${JSON.stringify(body)}`);
  return body as CallView;
}

const ended = ['completed', 'transferred', 'no_answer', 'busy', 'failed', 'canceled'];

/** @returns the call once it has ended. */
export const endOf = (org: Pick<TestOrg, 'apiKey'>, callId: string, seconds = 45): Promise<CallView> =>
  eventually(
    () => readCall(org, callId),
    ({ status }) => ended.includes(status),
    seconds,
  );

/** A hundred for each second: no file places as many, so that those of the next one, which starts later, are others. */
let numbers = Math.floor(Date.now() / 10);

/** A number that nobody else calls: +9198 are those of the CRM-A simulator's leads. */
export function aPhoneNumber(): string {
  numbers += 1;
  return `+9197${String(10_000_000 + (numbers % 90_000_000))}`;
}
