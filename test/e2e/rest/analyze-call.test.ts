import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { aFinishedCall } from '../../support/calls/finished-call.ts';
import { aConnection, decided, leadBody } from '../../support/leads/leads.ts';
import { aKey, anOrg, changeOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { placeCall, postCall, readCall, request, requestOnce } from '../../support/rest/rest.ts';
import { db, model, named, now, voice } from '../../support/stack/stack.ts';

const analyze = (org: Pick<TestOrg, 'apiKey'>, callId: string, body?: object | string) =>
  request('POST', `/v1/calls/${callId}/analyze`, { key: org.apiKey, ...(body !== undefined && { body }) });

/** Allows the next analysis of a call at once. */
const forgetRequests = (callId: string) =>
  db.send(
    new DeleteCommand({
      TableName: named.table('rate-limits'),
      Key: { key_minute: `analysis#${callId}` },
    }),
  );

/** Words that no other transcript contains, so that faults can select this one. */
const marked = (said: string) => {
  const mark = `mark-${randomUUID()}`;
  return { mark, transcript: `AI: Namaste.\nUser: ${said} ${mark}\n` };
};

describe('analyze-call', () => {
  let org: TestOrg;
  beforeAll(async () => {
    org = await anOrg({
      assistant: {
        success_criteria: 'A "visit" was agreed.',
        analysis_schema: { type: 'object', properties: { budget: { type: 'number' } } },
      },
    });
  });
  // A key may have ten analyses in half a minute.
  beforeEach(async () => {
    org = { ...org, ...(await aKey(org.orgId)) };
  });

  it('analyzes by the assistant’s criteria and schema, and changes only the analysis of the call', async () => {
    const { mark, transcript } = marked('Great, I would like to book a visit. My budget is 4500000.5 rupees.');
    const before = await aFinishedCall(org, transcript);
    const answer = await analyze(org, before.call_id);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        call_id: before.call_id,
        analysis: {
          summary: expect.stringContaining('visit'),
          success_eval: 'success',
          structured_data: { budget: 4500000.5 },
        },
      },
    });
    expect(answer.headers.get('x-request-id')).toBeTruthy();
    expect(Number(answer.headers.get('ratelimit-remaining'))).toBeGreaterThan(0);
    const { analysis, analyzed_at, ...rest } = (await stores.calls.get(before.call_id)) as Call;
    expect(rest).toEqual(before);
    expect(analysis).toMatchObject({ state: 'done', result: { lead_intent: 'purchase', do_not_call: false } });
    const { summary } = answer.body.analysis as { summary: string };
    expect(await readCall(org, before.call_id)).toMatchObject({
      summary,
      sentiment: 'positive',
      analysis: answer.body.analysis,
    });

    for (const oddBody of ['{', { force: true }, '[]']) {
      await forgetRequests(before.call_id);
      const again = await analyze(org, before.call_id, oddBody);
      expect(again).toMatchObject({ status: 200, body: answer.body });
    }
    expect((await stores.calls.get(before.call_id))?.analyzed_at).toBe(analyzed_at);
    expect(await model.requests(mark)).toHaveLength(4);
  });

  it('needs a valid key of the call’s organization and no permission, and counts towards the rate limit', async () => {
    const readOnly = await anOrg({ permissions: ['assistants:read'] });
    const { call_id } = await aFinishedCall(readOnly, 'User: Hello.\n');
    expect((await analyze(readOnly, call_id)).status).toBe(200);
    expect(await request('POST', `/v1/calls/${call_id}/analyze`)).toMatchObject({
      status: 401,
      body: { error: 'missing_api_key' },
    });
    expect(await analyze({ apiKey: `${readOnly.apiKey}x` }, call_id)).toMatchObject({ status: 401 });
    const foreign = await analyze(org, call_id);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'call_not_found' } });
    expect((await analyze(org, `call_${'0'.repeat(32)}`)).body).toEqual(foreign.body);
    await changeOrg(readOnly.orgId, { requests_per_minute: 1 });
    // At most one minute boundary can fall between two of them.
    const answers = [];
    for (let round = 0; round < 3; round += 1) answers.push(await analyze(readOnly, call_id));
    const limited = answers.find(({ status }) => status === 429);
    expect(limited?.body).toMatchObject({ error: 'rate_limit_exceeded' });
    expect(limited?.headers.get('retry-after')).toBeTruthy();
  });

  it('is refused if a call is analyzed again at once, and for a suspended organization', async () => {
    const limited = await anOrg({});
    const { mark, transcript } = marked('Hello.');
    const { call_id } = await aFinishedCall(limited, transcript);
    const answers = await Promise.all([analyze(limited, call_id), analyze(limited, call_id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toEqual({ error: 'rate_limit_exceeded', message: expect.stringMatching(/once in 30 s/) });
    expect(refused?.headers.get('retry-after')).toMatch(/^([1-9]|[12]\d|30)$/);
    expect(refused?.headers.get('ratelimit-limit')).toBe('10');
    expect(await model.requests(mark)).toHaveLength(1);
    await changeOrg(limited.orgId, { suspended_at: now().toISOString() });
    expect(await analyze(limited, call_id)).toMatchObject({ status: 403, body: { error: 'org_suspended' } });
  });

  it('answers 409 transcript_not_available if the call has no transcript', async () => {
    const { call_id } = await aFinishedCall(org);
    expect(await analyze(org, call_id)).toMatchObject({ status: 409, body: { error: 'transcript_not_available' } });
    expect((await stores.calls.get(call_id))?.analysis).toBeUndefined();
  });

  it.each([
    ['is down', 'unavailable', 503, 'service_unavailable', 30],
    ['gives no valid answer, even after a repair', 'text', 502, 'analysis_failed', 0],
  ] as const)(
    'answers an error if the model %s, and keeps the former result',
    async (_name, kind, status, error, retryAfter) => {
      const { mark, transcript } = marked('I have a complaint.');
      const { call_id } = await aFinishedCall(org, transcript);
      expect((await analyze(org, call_id)).status).toBe(200);
      const before = await stores.calls.get(call_id);
      await forgetRequests(call_id);
      await model.fault({ kind, whenTranscriptHas: mark, times: null });
      const answer = await requestOnce('POST', `/v1/calls/${call_id}/analyze`, { key: org.apiKey });
      await model.clearFaults(mark);
      expect(answer).toMatchObject({ status, body: { error, message: expect.any(String) } });
      expect(Number(answer.headers.get('retry-after') ?? 0)).toBe(retryAfter);
      expect(await stores.calls.get(call_id)).toEqual(before);
    },
  );

  it('puts a number on the do-not-call list once when the person asks not to be called again', async () => {
    const connected = await aConnection({}, org);
    const { mark, transcript } = marked('Do not call me again.');
    const call = await aFinishedCall(org, transcript);
    const { call_id, phone_number } = call;
    expect(await analyze(org, call_id)).toMatchObject({ status: 200 });
    expect(await stores.doNotCall.listOfOrg(org.orgId)).toEqual([
      { org_id: org.orgId, phone: phone_number, added_at: expect.any(String), call_id },
    ]);
    const placed = await postCall(org, { phone_number, assistant_id: org.assistantId });
    expect(placed).toMatchObject({ status: 403, body: { error: 'do_not_call' } });
    const entry = await decided(connected, leadBody({ Phone: phone_number }));
    expect(entry.outcome).toBe('do_not_call');

    await stores.transact({ number: stores.doNotCall.removing(org.orgId, phone_number) });
    await forgetRequests(call_id);
    expect(await analyze(org, call_id)).toMatchObject({ status: 200 });
    expect(await model.requests(mark)).toHaveLength(2);
    expect(await stores.doNotCall.has(org.orgId, phone_number)).toBe(false);
    await voice.script(phone_number, { behaviour: 'busy' });
    await placeCall(org, { phone_number });
  });
});
