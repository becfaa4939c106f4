import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall, request } from '../support/rest.ts';
import { eventually, now, voice } from '../support/stack.ts';

describe('get-call', () => {
  it('returns every field of a completed call, in the documented units', async () => {
    const org = await anOrg({ rate: 2.5 });
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, {
      behaviour: 'answer',
      talkSeconds: 61,
      transcript: [{ role: 'user', message: 'It is broken, I want a refund.' }],
    });
    const metadata = { order: 7 };
    const callId = await placeCall(org, { phone_number, metadata, idempotency_key: 'k1' });

    await endOf(org, callId);
    const call = await eventually(
      () => readCall(org, callId),
      ({ analysis }) => analysis !== null,
    );

    expect(call).toEqual({
      id: callId,
      status: 'completed',
      duration: 61,
      cost: 5,
      sentiment: 'negative',
      summary: expect.stringContaining('It is broken, I want a refund.'),
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      ended_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      phone_number,
      assistant_id: org.assistantId,
      assistant_name: 'Asha',
      idempotency_key: 'k1',
      callback_url: null,
      callback_status: null,
      request_metadata: metadata,
      ended_reason: 'customer-ended-call',
      analysis: { summary: call.summary, success_eval: 'failure', structured_data: {} },
    });
  });

  it("answers another org's call like an unknown one: 404 call_not_found", async () => {
    const [org, other] = await Promise.all([anOrg(), anOrg()]);
    const callId = await placeCall(other, { phone_number: aPhoneNumber() });
    const foreign = await request('GET', `/v1/calls/${callId}`, { key: org.apiKey });
    const unknown = await request('GET', `/v1/calls/call_${'0'.repeat(32)}`, { key: org.apiKey });
    const tooLong = await request('GET', `/v1/calls/${'x'.repeat(3_000)}`, { key: org.apiKey });
    expect(foreign).toMatchObject({ status: 404, body: { error: 'call_not_found' } });
    expect(unknown.body).toEqual(foreign.body);
    expect(tooLong.body).toEqual(foreign.body);
  });

  it('needs calls:read or calls:write', async () => {
    const org = await anOrg({ permissions: ['calls:write'] });
    const callId = await placeCall(org, { phone_number: aPhoneNumber() });
    expect((await request('GET', `/v1/calls/${callId}`, { key: org.apiKey })).status).toBe(200);
    const readable = await anOrg({ permissions: ['calls:read'] });
    expect((await request('GET', `/v1/calls/${callId}`, { key: readable.apiKey })).body.error).toBe('call_not_found');
    const neither = await anOrg({ permissions: ['assistants:read'] });
    expect(await request('GET', `/v1/calls/${callId}`, { key: neither.apiKey })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_permissions' },
    });
  });

  describe('without a valid key', () => {
    const read = (headers: Record<string, string>) => request('GET', '/v1/calls/any', { headers });
    const aKey = async () => (await anOrg()).apiKey;

    it.each([
      ['no Authorization header', {}, 'missing_api_key'],
      ['another scheme', { authorization: 'Basic abc' }, 'missing_api_key'],
      ['an empty Bearer', { authorization: 'Bearer ' }, 'missing_api_key'],
      ['a value without the prefix', { authorization: 'Bearer sk_live_1' }, 'invalid_api_key_format'],
      ['a value of the wrong shape', { authorization: 'Bearer svc_live_x' }, 'invalid_api_key'],
    ])('%s answers 401', async (_name, headers, error) => {
      const answer = await read(headers as Record<string, string>);
      expect(answer).toMatchObject({ status: 401, body: { error, message: expect.stringMatching(/./) } });
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    });

    it('a key with one character changed answers 401 invalid_api_key', async () => {
      const key = await aKey();
      const changed = key.slice(0, -10) + (key.at(-10) === 'a' ? 'b' : 'a') + key.slice(-9);
      expect(await read({ authorization: `Bearer ${changed}` })).toMatchObject({
        status: 401,
        body: { error: 'invalid_api_key' },
      });
    });

    it('a revoked key answers 401 revoked_api_key on the next request', async () => {
      const org = await anOrg();
      const callId = await placeCall(org, { phone_number: aPhoneNumber() });
      const key = await stores.apiKeys.find(org.keyId);
      await stores.apiKeys.revoke(key?.key_hash ?? '', now().toISOString());
      expect(await request('GET', `/v1/calls/${callId}`, { key: org.apiKey })).toMatchObject({
        status: 401,
        body: { error: 'revoked_api_key' },
      });
    });
  });
});

describe('answer-unknown-route', () => {
  it.each([
    ['GET', '/v1/calls'],
    ['POST', '/v1/calls/some-id'],
    ['GET', '/v1/calls/outbound/more'],
    ['DELETE', '/'],
  ])('%s %s answers 404 not_found in the shape of every error', async (method, path) => {
    const answer = await request(method, path);
    expect(answer).toMatchObject({ status: 404, body: { error: 'not_found', message: expect.any(String) } });
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  });
});
