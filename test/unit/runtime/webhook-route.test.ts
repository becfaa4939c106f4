import '../support/silence.ts';
import { connectionIdFor } from '../../../shared/domain/ids.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { type WebhookRequest, webhookRoute } from '../../../shared/runtime/webhook-route.ts';
import { aContext, anHttpEvent } from '../support/lambda.ts';

async function requestOf(event: Parameters<typeof anHttpEvent>[0]) {
  let seen: WebhookRequest | undefined;
  const route = webhookRoute(async (request) => {
    seen = request;
    return { status: 200, body: { received: true } };
  });
  await route(anHttpEvent(event), aContext());
  return seen;
}
const inBase64 = (text: string) => ({ body: Buffer.from(text).toString('base64'), isBase64Encoded: true });
const jsonOf = async (event: Parameters<typeof anHttpEvent>[0]) => (await requestOf(event))?.json;

describe('an inbound webhook', () => {
  it('reads a JSON body with any content type, plain or in base64', async () => {
    expect(await jsonOf({ body: '{"a":"ü"}', headers: { 'content-type': 'text/plain' } })).toEqual({ a: 'ü' });
    expect(await jsonOf(inBase64('{"a":"ü"}'))).toEqual({ a: 'ü' });
  });

  it.each([undefined, '', '{', 'a=1'])('has no JSON if the body is not JSON: %j', async (body) => {
    expect(await jsonOf(body === undefined ? {} : { body })).toBeUndefined();
  });

  it('passes on a body that is not JSON unchanged, because only the operation knows how to read a form', async () => {
    const form = 'ProspectID=lead-1&Phone=%2B91+98765&Name=ü';
    expect(await requestOf({ body: form })).toMatchObject({ text: form, json: undefined });
    expect(await requestOf(inBase64(form))).toMatchObject({ text: form, json: undefined });
    expect(await requestOf({ body: ' {"a": 1} ' })).toMatchObject({ text: ' {"a": 1} ', json: { a: 1 } });
    expect(await requestOf({})).toMatchObject({ text: '' });
  });

  it.each([
    ['plain', { body: '\uFEFF{"a":"ü"}' }],
    ['in base64', inBase64('\uFEFF{"a":"ü"}')],
  ])('removes a leading byte order mark, %s, and no other character', async (_how, event) => {
    expect(await requestOf(event)).toMatchObject({ text: '{"a":"ü"}', json: { a: 'ü' } });
    expect(await requestOf({ body: '\uFEFF' })).toMatchObject({ text: '', json: undefined });
    expect((await requestOf({ body: 'a=\uFEFF1' }))?.text).toBe('a=\uFEFF1');
    expect((await requestOf({ body: '\uFEFF\uFEFFa' }))?.text).toBe('\uFEFFa');
  });

  it('parses JSON only on demand, so that an unauthorized request costs no work', async () => {
    const body = '{"only":"here"}';
    const parse = jest.spyOn(JSON, 'parse');
    const readings = () => parse.mock.calls.filter(([text]) => text === body).length;
    const seen: number[] = [];
    const refusing = webhookRoute(async ({ headers, path, text }) => {
      seen.push(Object.keys({ ...headers, ...path }).length + text.length);
      return { status: 401, body: { error: 'unauthorized' } };
    });
    await refusing(anHttpEvent({ body }), aContext());
    expect(seen).toEqual([body.length]);
    expect(readings()).toBe(0);
    const reading = webhookRoute(async (request) => ({ status: 200, body: request.json as object }));
    expect(await reading(anHttpEvent({ body }), aContext())).toMatchObject({ body });
    expect(readings()).toBe(1);
    parse.mockRestore();
  });

  it('distinguishes a body of null from a missing body', async () => {
    expect(await jsonOf({ body: 'null' })).toBeNull();
  });

  it('passes on the id in its path, or undefined', async () => {
    expect((await requestOf({ pathParameters: { connectionId: 'conn_1' } }))?.path).toEqual({ connectionId: 'conn_1' });
    expect((await requestOf({}))?.path).toEqual({});
  });

  it('is logged with request, route and connection, and with no other text of the path', async () => {
    const keys = jest.spyOn(logger, 'appendKeys').mockImplementation(() => {});
    const connectionId = connectionIdFor('org1', 'crm-a');
    await requestOf({ pathParameters: { connectionId }, headers: { 'x-crma-webhook-token': 'SECRET' } });
    await requestOf({ pathParameters: { connectionId: 'a token, or a +919812345678' }, body: 'SECRET' });
    await requestOf({});
    const common = { request_id: 'request-1', route: 'POST /v1/calls/outbound' };
    expect(keys.mock.calls).toEqual([[{ ...common, connection_id: connectionId }], [common], [common]]);
    keys.mockRestore();
  });

  it.each([
    ['info', 'answered', async () => ({ status: 401 })],
    ['error', 'failed', () => Promise.reject(new Error('x'))],
  ] as const)('has its addresses in its log line of level %s: %s', async (level, message, route) => {
    const lines = jest.spyOn(logger, level).mockImplementation(() => {});
    const headers = { 'x-forwarded-for': 'SECRET, 198.51.100.7, 192.0.2.1' };
    await webhookRoute(route)(anHttpEvent({ headers }), aContext());
    const from = { address: '192.0.2.1', forwarded_for: '198.51.100.7' };
    expect(lines.mock.calls).toEqual([[message, expect.objectContaining(from)]]);
    lines.mockRestore();
  });

  it('answers as the route decides, with or without a body', async () => {
    const refusing = webhookRoute(async () => ({ status: 401, body: { error: 'unauthorized' } }));
    expect(await refusing(anHttpEvent(), aContext())).toMatchObject({
      statusCode: 401,
      body: '{"error":"unauthorized"}',
    });
    const answer = await webhookRoute(async () => ({ status: 200 }))(anHttpEvent(), aContext());
    expect(answer.statusCode).toBe(200);
    expect(answer).not.toHaveProperty('body');
  });

  it('answers a failure with 500 and only a code, so that the sender retries', async () => {
    const route = webhookRoute(async () => {
      throw new Error('SECRET queue url');
    });
    const answer = await route(anHttpEvent(), aContext());
    expect(answer.statusCode).toBe(500);
    expect(Object.keys(JSON.parse(answer.body ?? ''))).toEqual(['error']);
    expect(answer.body).not.toContain('SECRET');
  });
});
