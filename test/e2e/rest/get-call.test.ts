import type { Permission } from '../../../shared/domain/organizations/permission.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall, request } from '../../support/rest/rest.ts';
import { unitsDuring } from '../../support/stack/metered.ts';
import { eventually, now, voice } from '../../support/stack/stack.ts';

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

  it("takes one round trip for a key's first request: it reads in a batch while it counts the request", async () => {
    const { apiKey: key } = await anOrg();
    const get = () => request('GET', '/v1/calls/any', { key });
    expect(await unitsDuring('get-call', get)).toEqual({ reads: 3, writes: 1, requests: 2 });
  });

  it("answers another organization's call like an unknown one: 404 call_not_found", async () => {
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
    const status = async (permissions: Permission[]) =>
      (await request('GET', '/v1/calls/any', { key: (await anOrg({ permissions })).apiKey })).body.error;
    expect(await status(['calls:write'])).toBe('call_not_found');
    expect(await status(['calls:read'])).toBe('call_not_found');
    expect(await status(['assistants:read'])).toBe('insufficient_permissions');
  });

  it('answers 401 without a valid key, and on the first request after its revocation', async () => {
    const { apiKey, keyId } = await anOrg();
    const changed = apiKey.slice(0, -10) + (apiKey.at(-10) === 'a' ? 'b' : 'a') + apiKey.slice(-9);
    const read = (headers: Record<string, string>) => request('GET', '/v1/calls/any', { headers });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    expect((await read(bearer(apiKey))).status).toBe(404);
    const key = await stores.apiKeys.find(keyId);
    await stores.transact({ key: stores.apiKeys.revoking(key?.key_hash ?? '', now().toISOString()) });
    for (const [headers, error] of [
      [{}, 'missing_api_key'],
      [bearer('sk_live_1'), 'invalid_api_key_format'],
      [bearer(changed), 'invalid_api_key'],
      [bearer(apiKey), 'revoked_api_key'],
    ] as const) {
      const answer = await read(headers as Record<string, string>);
      expect(answer).toMatchObject({ status: 401, body: { error, message: expect.stringMatching(/./) } });
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  });
});

describe('answer-unknown-route', () => {
  it('answers 404 not_found in the form of every error', async () => {
    for (const [method, path] of [
      ['GET', '/v1/calls'],
      ['POST', '/v1/calls/some-id'],
      ['GET', '/v1/calls/outbound/more'],
      ['DELETE', '/v1'],
      ['GET', '/api/unknown'],
    ] as const) {
      const answer = await request(method, path);
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found', message: expect.any(String) } });
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    }
  });

  it('answers a webhook with another method in the form of its errors', async () => {
    for (const [method, path] of [
      ['PUT', '/api/webhooks/crm-a/conn_1'],
      ['DELETE', '/api/webhooks/crm-b/conn_1'],
    ] as const)
      expect(await request(method, path)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(Object.keys((await request('PUT', '/api/webhooks/crm-a/conn_1')).body)).toEqual(['error']);
  });
});
