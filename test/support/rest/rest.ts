import { randomUUID } from 'node:crypto';
import type { CallView } from '../../../shared/domain/calls/call-view.ts';
import type { TestOrg } from '../organizations/orgs.ts';
import { environment, eventually } from '../stack/stack.ts';
import { expectDescribed } from './contract.ts';

export type Answer = { status: number; headers: Headers; body: Record<string, unknown> };

type Asked = { key?: string; headers?: Record<string, string>; body?: object | string };

/** Sends a request to the API and returns any answer. @throws if docs/openapi.yaml does not describe it */
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
  const answer = text ? JSON.parse(text) : {};
  expectDescribed(method, path, response.status, answer);
  return { status: response.status, headers: response.headers, body: answer };
}

const MAX_REPEATS = 20;
const BUSY = 503;

/** Retries while the service answers 503 (docs/rest-api.md, "Errors"). @returns all answers */
export async function untilNotBusy<A extends { status: number }>(ask: () => Promise<A>): Promise<[A, ...A[]]> {
  const answers: [A, ...A[]] = [await ask()];
  while (answers.at(-1)?.status === BUSY && answers.length <= MAX_REPEATS) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    answers.push(await ask());
  }
  return answers;
}

/**
 * Sends a request as a client does, with retries while the service is busy. An object `body` is sent as JSON, a string
 * unchanged.
 * @returns the last answer
 */
export async function request(method: string, path: string, asked: Asked = {}): Promise<Answer> {
  const answers = await untilNotBusy(() => requestOnce(method, path, asked));
  return answers.at(-1) ?? answers[0];
}

const CALLS = '/v1/calls/outbound';

/** Retries after 503, which could place a second call if the body has no idempotency key. */
export const postCall = (org: Pick<TestOrg, 'apiKey'>, body: object | string): Promise<Answer> =>
  request('POST', CALLS, { key: org.apiKey, body });

/** Retries with the idempotency key while the service is busy. @returns all answers. */
export const postCallUntilTaken = (
  org: Pick<TestOrg, 'apiKey'>,
  body: { idempotency_key: string } & Record<string, unknown>,
): Promise<[Answer, ...Answer[]]> => untilNotBusy(() => requestOnce('POST', CALLS, { key: org.apiKey, body }));

/** Places a call, with a new idempotency key unless given. @returns its id @throws unless accepted */
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

/** Waits for the end of the call. @returns the call */
export const endOf = (org: Pick<TestOrg, 'apiKey'>, callId: string, seconds = 45): Promise<CallView> =>
  eventually(
    () => readCall(org, callId),
    ({ status }) => ended.includes(status),
    seconds,
  );

/** A hundred per second: more than a test file uses, so that the next file's numbers differ. */
let numbers = Math.floor(Date.now() / 10);

/** Returns an unused number. Numbers in +9198 belong to the CRM-A simulator's leads. */
export function aPhoneNumber(): string {
  numbers += 1;
  return `+9197${String(10_000_000 + (numbers % 90_000_000))}`;
}
