import { anOrg, booksOf, expectBalancedBooks, stores } from '../support/orgs.ts';
import { aPhoneNumber, placeCall, postCall, postCallUntilTaken, readCall, request } from '../support/rest.ts';
import { now, passTime } from '../support/stack.ts';

const UNITS = 1_000;

describe('place-call', () => {
  it('answers 202 with the queued-call acknowledgement, complete', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();

    const answer = await postCall(org, { phone_number, assistant_id: org.assistantId });

    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      request_id: expect.any(String),
      call_id: expect.stringMatching(/^call_[0-9a-f]{32}$/),
      status: 'queued',
      phone_number,
      assistant_id: org.assistantId,
      callback_url: null,
      message: expect.any(String),
    });
    expect(answer.headers.get('x-request-id')).toBe(answer.body.request_id);
  });

  it('holds rate x started minutes of the longest possible call', async () => {
    // Not dialed, so that the hold stays.
    const limits = { max_live_calls: 0 };
    const org = await anOrg({ credits: 100, rate: 1.5, assistant: { max_duration_seconds: 601 }, limits });

    await placeCall(org, { phone_number: aPhoneNumber() });

    const books = await expectBalancedBooks(org.orgId);
    expect(books.held).toBe(1.5 * 11 * UNITS);
    expect(books.available).toBe((100 - 1.5 * 11) * UNITS);
  });

  it('returns metadata unchanged', async () => {
    const org = await anOrg();
    const metadata = { name: 'Ravi', nested: { list: [1, 'two', null] }, 'with space': true };
    const callId = await placeCall(org, { phone_number: aPhoneNumber(), metadata });
    expect((await readCall(org, callId)).request_metadata).toEqual(metadata);
  });

  describe('refuses, and changes nothing', () => {
    const cases: [string, (body: { phone_number: string; assistant_id: string }) => object | string, number, string][] =
      [
        ['a missing phone number', ({ assistant_id }) => ({ assistant_id }), 400, 'invalid_phone_number'],
        [
          'a phone number without plus',
          (body) => ({ ...body, phone_number: '919812345678' }),
          400,
          'invalid_phone_number',
        ],
        [
          'a phone number that is a number',
          (body) => ({ ...body, phone_number: 919812345678 }),
          400,
          'invalid_phone_number',
        ],
        ['a bad phone number before a missing assistant', () => ({ phone_number: 'x' }), 400, 'invalid_phone_number'],
        ['no assistant', ({ phone_number }) => ({ phone_number }), 400, 'assistant_id_required'],
        ['an empty assistant', (body) => ({ ...body, assistant_id: '' }), 400, 'assistant_id_required'],
        ['an unknown assistant', (body) => ({ ...body, assistant_id: 'asst_nobody' }), 404, 'assistant_not_found'],
        [
          'an assistant id of 5,000 characters',
          (body) => ({ ...body, assistant_id: 'a'.repeat(5_000) }),
          404,
          'assistant_not_found',
        ],
        ['metadata other than an object', (body) => ({ ...body, metadata: [1] }), 400, 'invalid_request'],
        [
          'metadata above 16 KB',
          (body) => ({ ...body, metadata: { text: 'x'.repeat(16 * 1024) } }),
          400,
          'invalid_request',
        ],
        ['an empty idempotency key', (body) => ({ ...body, idempotency_key: '' }), 400, 'invalid_request'],
        [
          'an idempotency key of 256 characters',
          (body) => ({ ...body, idempotency_key: 'k'.repeat(256) }),
          400,
          'invalid_request',
        ],
        [
          'a callback to the inside',
          (body) => ({ ...body, callback_url: 'https://169.254.169.254/' }),
          400,
          'invalid_callback_url',
        ],
        [
          'a callback without TLS',
          (body) => ({ ...body, callback_url: 'http://example.com/' }),
          400,
          'invalid_callback_url',
        ],
        ['a body other than JSON', () => '{"phone', 400, 'invalid_request'],
        ['a body that is a list', () => '[]', 400, 'invalid_request'],
        ['a body above 64 KB', (body) => ({ ...body, other: 'x'.repeat(65 * 1024) }), 413, 'payload_too_large'],
      ];

    it.each(cases)('%s', async (_name, bodyOf, status, error) => {
      const org = await anOrg();
      const answer = await postCall(org, bodyOf({ phone_number: aPhoneNumber(), assistant_id: org.assistantId }));
      expect(answer).toMatchObject({ status, body: { error, message: expect.stringMatching(/./) } });
      expect(await stores.calls.listOfOrg(org.orgId, { limit: 1 })).toEqual([]);
      expect((await booksOf(org.orgId)).held).toBe(0);
    });

    it('a content type other than JSON', async () => {
      const org = await anOrg();
      const answer = await request('POST', '/v1/calls/outbound', {
        key: org.apiKey,
        headers: { 'content-type': 'text/plain' },
        body: '{}',
      });
      expect(answer).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } });
    });

    it("another org's assistant", async () => {
      const [org, other] = await Promise.all([anOrg(), anOrg()]);
      const answer = await postCall(org, { phone_number: aPhoneNumber(), assistant_id: other.assistantId });
      expect(answer).toMatchObject({ status: 403, body: { error: 'assistant_wrong_org' } });
    });

    it('a suspended org', async () => {
      const org = await anOrg();
      await stores.organizations.update(org.orgId, { suspended_at: now().toISOString() });
      const answer = await postCall(org, { phone_number: aPhoneNumber(), assistant_id: org.assistantId });
      expect(answer).toMatchObject({ status: 403, body: { error: 'org_suspended' } });
    });

    it('a call that the credit does not cover, with both amounts in credits', async () => {
      const org = await anOrg({ credits: 9.999 });
      const answer = await postCall(org, { phone_number: aPhoneNumber(), assistant_id: org.assistantId });
      expect(answer).toMatchObject({
        status: 403,
        body: { error: 'insufficient_credits', required: 10, available: 9.999 },
      });
      expect((await booksOf(org.orgId)).held).toBe(0);
    });

    it('a key without calls:write', async () => {
      const org = await anOrg({ permissions: ['calls:read'] });
      const answer = await postCall(org, { phone_number: aPhoneNumber(), assistant_id: org.assistantId });
      expect(answer).toMatchObject({ status: 403, body: { error: 'insufficient_permissions' } });
    });
  });

  describe('with an idempotency key', () => {
    it('replays the first acknowledgement, whatever the call’s status and the new body', async () => {
      const org = await anOrg();
      const body = { phone_number: aPhoneNumber(), assistant_id: org.assistantId, idempotency_key: 'order 1' };
      const first = await postCall(org, body);
      const replay = await postCall(org, { ...body, phone_number: aPhoneNumber(), metadata: { other: true } });
      expect(replay.status).toBe(202);
      expect(replay.body).toEqual({ ...first.body, idempotent_replay: true });
      expect(replay.headers.get('x-request-id')).not.toBe(first.body.request_id);
      expect(await stores.calls.listOfOrg(org.orgId, { limit: 9 })).toHaveLength(1);
    });

    it('places one call with one hold for 50 concurrent requests: one acknowledgement, 49 replays', async () => {
      const org = await anOrg({ limits: { max_live_calls: 0 } });
      const body = { phone_number: aPhoneNumber(), assistant_id: org.assistantId, idempotency_key: 'fifty at once' };

      // Fifty processes start: on a slow machine some requests get 503 and retry.
      const all = await Promise.all(Array.from({ length: 50 }, () => postCallUntilTaken(org, body)));

      const answers = all.map((ofOne) => ofOne.at(-1) ?? ofOne[0]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ body }) => body.call_id)).size).toBe(1);
      expect(new Set(answers.map(({ body }) => body.request_id)).size).toBe(1);
      const replays = answers.filter(({ body }) => body.idempotent_replay === true).length;
      // A request answered 503 may have placed the call; its retry is a replay.
      if (all.some(({ length }) => length > 1)) expect([49, 50]).toContain(replays);
      else expect(replays).toBe(49);
      const books = await expectBalancedBooks(org.orgId);
      expect(books.held).toBe(10 * UNITS);
      expect(books.entries.filter(({ kind }) => kind === 'hold')).toHaveLength(1);
    });

    it('needs no credit for a replay', async () => {
      const org = await anOrg({ credits: 10, limits: { max_live_calls: 0 } });
      const body = { phone_number: aPhoneNumber(), assistant_id: org.assistantId, idempotency_key: 'last credit' };
      await postCall(org, body);
      expect(await postCall(org, body)).toMatchObject({ status: 202, body: { idempotent_replay: true } });
    });

    it('does not consume the key for a refused call', async () => {
      const org = await anOrg({ credits: 1 });
      const body = { phone_number: aPhoneNumber(), assistant_id: org.assistantId, idempotency_key: 'again' };
      expect((await postCall(org, body)).status).toBe(403);
      await stores.transact({ credit: stores.organizations.toppingUp(org.orgId, 100 * UNITS) });
      const answer = await postCall(org, body);
      expect(answer.status).toBe(202);
      expect(answer.body).not.toHaveProperty('idempotent_replay');
    });

    it('is scoped to the org: two orgs with the same key get a call each', async () => {
      const [one, two] = await Promise.all([anOrg(), anOrg()]);
      const answers = await Promise.all(
        [one, two].map((org) =>
          postCall(org, { phone_number: aPhoneNumber(), assistant_id: org.assistantId, idempotency_key: 'same' }),
        ),
      );
      expect(new Set(answers.map(({ body }) => body.call_id)).size).toBe(2);
    });
  });

  it('never overdraws: of 40 concurrent calls, exactly as many are placed as the credit covers', async () => {
    const org = await anOrg({ credits: 125, limits: { max_live_calls: 0 } });
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        postCallUntilTaken(org, {
          phone_number: aPhoneNumber(),
          assistant_id: org.assistantId,
          idempotency_key: `parallel ${index}`,
        }),
      ),
    );
    const answers = all.map((ofOne) => ofOne.at(-1) ?? ofOne[0]);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(12);
    expect(answers.filter(({ body }) => body.error === 'insufficient_credits')).toHaveLength(28);
    const books = await expectBalancedBooks(org.orgId);
    expect(books).toMatchObject({ held: 120 * UNITS, available: 5 * UNITS });
  });

  describe('rate limits', () => {
    it('report the scarcer limit with every answer, and refuse requests beyond it until the minute is over', async () => {
      const org = await anOrg({ limits: { requests_per_minute: 100, outbound_per_minute: 2, max_live_calls: 0 } });
      // Start at a full minute, so that the test does not cross one.
      await passTime(61 - now().getUTCSeconds());
      const place = () => postCall(org, { phone_number: aPhoneNumber(), assistant_id: org.assistantId });
      const first = await place();
      expect(first.status).toBe(202);
      expect(first.headers.get('ratelimit-limit')).toBe('2');
      expect(first.headers.get('ratelimit-remaining')).toBe('1');
      await place();
      const refused = await place();
      expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
      // Reads count towards the global limit only.
      const read = await request('GET', `/v1/calls/${first.body.call_id}`, { key: org.apiKey });
      expect(read.status).toBe(200);
      expect(read.headers.get('ratelimit-limit')).toBe('100');
      await passTime(60);
      expect((await place()).status).toBe(202);
    });
  });
});
