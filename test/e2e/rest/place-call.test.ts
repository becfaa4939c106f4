import {
  anOrg,
  booksOf,
  changeOrg,
  expectBalancedBooks,
  stores,
  type TestOrg,
} from '../../support/organizations/orgs.ts';
import { type Answer, aPhoneNumber, postCall, postCallUntilTaken, readCall, request } from '../../support/rest/rest.ts';
import { unitsDuring } from '../../support/stack/metered.ts';
import { now, passTime } from '../../support/stack/stack.ts';

const UNITS = 1_000;

const bodyOf = ({ assistantId }: Pick<TestOrg, 'assistantId'>, more: object = {}) => ({
  phone_number: aPhoneNumber(),
  assistant_id: assistantId,
  ...more,
});

/** Each request in flight starts a process. */
const IN_FLIGHT = 10;

/** Sends the requests, ten at a time. @returns the answers to each, the last one final */
async function postAll(org: TestOrg, bodies: ({ idempotency_key: string } & Record<string, unknown>)[]) {
  const left = [...bodies];
  const all: [Answer, ...Answer[]][] = [];
  const client = async () => {
    for (let body = left.shift(); body; body = left.shift()) all.push(await postCallUntilTaken(org, body));
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  return { all, answers: all.map((answers) => answers.at(-1) ?? answers[0]) };
}

describe('place-call', () => {
  it('acknowledges the call with 202, holds the price of the longest call, and stores its metadata', async () => {
    // The call is not dialed, so that the hold stays.
    const limits = { max_live_calls: 0 };
    const org = await anOrg({ credits: 100, rate: 1.5, assistant: { max_duration_seconds: 601 }, limits });
    const metadata = { name: 'Ravi', nested: { list: [1, 'two', null] }, 'with space': true };
    const body = bodyOf(org, { metadata });
    const answer = await postCall(org, body);
    expect(answer).toMatchObject({
      status: 202,
      body: {
        request_id: answer.headers.get('x-request-id'),
        call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
        status: 'queued',
        phone_number: body.phone_number,
        assistant_id: org.assistantId,
        callback_url: null,
        message: expect.any(String),
      },
    });
    expect(Object.keys(answer.body)).toHaveLength(7);
    const started = 11; // minutes of 601 seconds
    expect(await expectBalancedBooks(org.orgId)).toMatchObject({
      held: 1.5 * started * UNITS,
      available: (100 - 1.5 * started) * UNITS,
    });
    expect((await readCall(org, String(answer.body.call_id))).request_metadata).toEqual(metadata);
  });

  it('uses as many DynamoDB units as docs/cost.md says', async () => {
    const org = await anOrg({ credits: 100, limits: { max_live_calls: 0 } });
    expect(await unitsDuring('place-call', () => postCall(org, bodyOf(org)))).toEqual({
      // Consistently: key and organization; at half the price: assistant, and the two forms of the number.
      reads: 2 + 3 * 0.5,
      // The counters; call and credit in a transaction; the call's entries in four indexes.
      writes: 1 + 2 * 2 + 4,
      // The reads in a batch, the count, and the transaction.
      requests: 3,
    });
  });

  describe('refuses without a change:', () => {
    let org: TestOrg;
    beforeAll(async () => {
      org = await anOrg({ credits: 9.999 });
    });

    it.each<[string, () => object | string | Promise<object>, number, object]>([
      ['a missing phone number', () => ({ assistant_id: org.assistantId }), 400, { error: 'invalid_phone_number' }],
      ['no assistant', () => ({ phone_number: aPhoneNumber() }), 400, { error: 'assistant_id_required' }],
      // Longer than a key in DynamoDB may be.
      [
        'an assistant id of 5,000 characters',
        () => bodyOf({ assistantId: 'a'.repeat(5_000) }),
        404,
        { error: 'assistant_not_found' },
      ],
      ["another org's assistant", async () => bodyOf(await anOrg()), 403, { error: 'assistant_wrong_org' }],
      ['metadata other than an object', () => bodyOf(org, { metadata: [1] }), 400, { error: 'invalid_request' }],
      [
        'a callback without TLS',
        () => bodyOf(org, { callback_url: 'http://example.com/' }),
        400,
        { error: 'invalid_callback_url' },
      ],
      ...['+19005551234', '+971501234567'].map((phone_number): [string, () => object, number, object] => [
        `a number that may not be called, ${phone_number}`,
        () => bodyOf(org, { phone_number }),
        403,
        { error: 'destination_not_allowed' },
      ]),
      ['a body other than JSON', () => '{"phone', 400, { error: 'invalid_request' }],
      ['a body above 64 KB', () => bodyOf(org, { other: 'x'.repeat(65 * 1024) }), 413, { error: 'payload_too_large' }],
      [
        'a call that the credit does not cover, with both amounts in credits',
        () => bodyOf(org),
        403,
        { error: 'insufficient_credits', required: 10, available: 9.999 },
      ],
    ])('%s', async (_name, bodyOfCase, status, error) => {
      const answer = await postCall(org, await bodyOfCase());
      expect(answer).toMatchObject({ status, body: { ...error, message: expect.stringMatching(/./) } });
      expect(await stores.calls.listOfOrg(org.orgId, { limit: 1 })).toEqual([]);
      expect((await booksOf(org.orgId)).held).toBe(0);
    });

    it('a content type other than JSON, a key without calls:write, and a suspended organization', async () => {
      const headers = { 'content-type': 'text/plain' };
      const asText = await request('POST', '/v1/calls/outbound', { key: org.apiKey, headers, body: '{}' });
      expect(asText).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
      const reader = await anOrg({ permissions: ['calls:read'] });
      expect(await postCall(reader, bodyOf(reader))).toMatchObject({
        status: 403,
        body: { error: 'insufficient_permissions' },
      });
      const suspended = await anOrg();
      await changeOrg(suspended.orgId, { suspended_at: now().toISOString() });
      expect(await postCall(suspended, bodyOf(suspended))).toMatchObject({
        status: 403,
        body: { error: 'org_suspended' },
      });
    });
  });

  describe('with an idempotency key', () => {
    it('replays the first acknowledgement even without credit, for a suspended organization and for another body', async () => {
      const org = await anOrg({ credits: 10 });
      const body = bodyOf(org, { idempotency_key: 'order 1' });
      const first = await postCall(org, body);
      const replay = await postCall(org, { ...body, phone_number: aPhoneNumber(), metadata: { other: true } });
      expect(replay).toMatchObject({ status: 202 });
      expect(replay.body).toEqual({ ...first.body, idempotent_replay: true });
      expect(replay.headers.get('x-request-id')).not.toBe(first.body.request_id);
      await changeOrg(org.orgId, { suspended_at: now().toISOString() });
      expect(await postCall(org, body)).toMatchObject({ status: 202, body: replay.body });
      expect(await postCall(org, { ...body, idempotency_key: 'order 2' })).toMatchObject({ status: 403 });
      expect(await stores.calls.listOfOrg(org.orgId, { limit: 9 })).toHaveLength(1);
    });

    it('places one call with one hold for 30 requests: one acknowledgement, 29 replays', async () => {
      const org = await anOrg({ limits: { max_live_calls: 0 } });
      const body = { ...bodyOf(org), idempotency_key: 'order 30' };
      const { all, answers } = await postAll(org, Array(30).fill(body));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ body }) => `${body.call_id} ${body.request_id}`)).size).toBe(1);
      const replays = answers.filter(({ body }) => body.idempotent_replay === true).length;
      // On a slow machine a request answered 503 may have placed the call; its retry is a replay.
      if (all.some(({ length }) => length > 1)) expect([29, 30]).toContain(replays);
      else expect(replays).toBe(29);
      const books = await expectBalancedBooks(org.orgId);
      expect(books.held).toBe(10 * UNITS);
      expect(books.entries.filter(({ kind }) => kind === 'hold')).toHaveLength(1);
    });

    it("does not use up the key for a refused call or another organization's call", async () => {
      const [org, other] = await Promise.all([anOrg({ credits: 1 }), anOrg()]);
      const more = { idempotency_key: 'again' };
      expect((await postCall(other, bodyOf(other, more))).status).toBe(202);
      expect((await postCall(org, bodyOf(org, more))).status).toBe(403);
      await stores.transact({ credit: stores.organizations.toppingUp(org.orgId, 100 * UNITS) });
      const answer = await postCall(org, bodyOf(org, more));
      expect(answer.status).toBe(202);
      expect(answer.body).not.toHaveProperty('idempotent_replay');
    });
  });

  it('never overdraws: of 20 calls, exactly as many are placed as the credit covers', async () => {
    const org = await anOrg({ credits: 65, limits: { max_live_calls: 0 } });
    const bodies = Array.from({ length: 20 }, (_, index) => ({ ...bodyOf(org), idempotency_key: `call ${index}` }));
    const { answers } = await postAll(org, bodies);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(6);
    expect(answers.filter(({ body }) => body.error === 'insufficient_credits')).toHaveLength(14);
    expect(await expectBalancedBooks(org.orgId)).toMatchObject({ held: 60 * UNITS, available: 5 * UNITS });
  });

  it('reports the rate limit with fewer requests left, and refuses requests beyond it until the minute is over', async () => {
    const org = await anOrg({ limits: { requests_per_minute: 100, outbound_per_minute: 2, max_live_calls: 0 } });
    // Starts at a full minute, so that the test does not cross one.
    await passTime(61 - now().getUTCSeconds());
    const first = await postCall(org, bodyOf(org));
    expect(first.status).toBe(202);
    expect(first.headers.get('ratelimit-limit')).toBe('2');
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    await postCall(org, bodyOf(org));
    const refused = await postCall(org, bodyOf(org));
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    // Reads count towards the global limit only.
    const read = await request('GET', `/v1/calls/${first.body.call_id}`, { key: org.apiKey });
    expect(read.status).toBe(200);
    expect(read.headers.get('ratelimit-limit')).toBe('100');
    await passTime(60);
    expect((await postCall(org, bodyOf(org))).status).toBe(202);
  });
});
