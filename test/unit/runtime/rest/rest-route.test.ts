import '../../support/silence.ts';
import {
  InternalServerError,
  ProvisionedThroughputExceededException,
  RequestLimitExceeded,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { logger } from '../../../../shared/runtime/logger.ts';
import { type RestAnswer, type RestRequest, refuse, restRoute } from '../../../../shared/runtime/rest/rest-route.ts';
import { aContext, anHttpEvent } from '../../support/lambda.ts';

type ErrorCode = Parameters<typeof refuse>[0]['error'];

/** Runs a route and reads its answer. */
async function answerOf(route: (request: RestRequest) => Promise<RestAnswer>, event = anHttpEvent()) {
  const answer = await restRoute(route)(event, aContext());
  return {
    status: answer.statusCode,
    headers: answer.headers ?? {},
    body: answer.body === undefined ? undefined : JSON.parse(answer.body),
    text: answer.body,
  };
}
const failing = (error: unknown) =>
  answerOf(async () => {
    throw error;
  });
const named = (name: string, more: object = {}) =>
  Object.assign(new Error('SECRET: arn:aws:dynamodb, key svc_live_x'), { name, ...more });

describe('the answer of a route', () => {
  it('has its status, its body as JSON and the request id', async () => {
    expect(
      await answerOf(async () => ({ status: 202, headers: { 'ratelimit-limit': '60' }, body: { a: 1 } })),
    ).toMatchObject({
      status: 202,
      body: { a: 1 },
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-1', 'ratelimit-limit': '60' },
    });
  });

  it('has neither body nor content type if the route returns none', async () => {
    const { body, headers } = await answerOf(async () => ({ status: 302, headers: { location: 'https://x.example' } }));
    expect([body, headers]).toEqual([undefined, { location: 'https://x.example', 'x-request-id': 'request-1' }]);
  });

  it('has the request id in every case: done, refused, failed, unavailable', async () => {
    const answers = [
      await answerOf(async () => ({ status: 200, body: {} })),
      await answerOf(async () => refuse({ error: 'call_not_found', message: 'No.' })),
      await failing(new Error('x')),
      await failing(new TransactionContention('x')),
      await failing('no error at all'),
    ];
    for (const { headers } of answers)
      expect(headers).toMatchObject({ 'x-request-id': 'request-1', 'content-type': 'application/json' });
  });

  const codes: Record<number, string> = {
    400: 'invalid_phone_number assistant_id_required invalid_callback_url invalid_request',
    401: 'missing_api_key invalid_api_key_format invalid_api_key revoked_api_key',
    403: 'insufficient_permissions assistant_wrong_org insufficient_credits destination_not_allowed org_suspended invalid_link',
    404: 'recording_not_found assistant_not_found call_not_found not_found',
    410: 'link_expired',
    413: 'payload_too_large',
    415: 'unsupported_media_type',
    429: 'rate_limit_exceeded',
    500: 'internal_error',
    503: 'service_unavailable',
  };
  const rows = Object.entries(codes).flatMap(([status, errors]) =>
    errors.split(' ').map((error) => [error as ErrorCode, Number(status)] as const),
  );
  it.each(rows)('is %s with %d, a code and a sentence', async (error, status) => {
    const answer = await answerOf(async () => refuse({ error, message: 'A sentence.' }, { 'x-more': '1' }));
    expect(answer).toMatchObject({ status, headers: { 'x-more': '1' } });
    expect(answer.body).toEqual({ error, message: 'A sentence.' });
  });
});

describe('an error that a route throws', () => {
  it.each([
    ['contention', new TransactionContention('8 tries')],
    ['throttling of a table', new ProvisionedThroughputExceededException({ $metadata: {}, message: 'SECRET' })],
    ['throttling of an account', new RequestLimitExceeded({ $metadata: {}, message: 'SECRET' })],
    ['any throttling', named('ThrottlingException', { $metadata: { httpStatusCode: 400 } })],
    ['a time-out', named('TimeoutError')],
    ['a server error', new InternalServerError({ $metadata: { httpStatusCode: 500 }, message: 'SECRET' })],
    ['an answer of 503', named('SomeError', { $metadata: { httpStatusCode: 503 } })],
    ['a refused connection', named('Error', { code: 'ECONNREFUSED' })],
    ['a reset connection', named('Error', { code: 'ECONNRESET' })],
    ['an error that the SDK would retry', named('SomeError', { $retryable: { throttling: true } })],
  ])('is 503 with Retry-After if a retry may help: %s', async (_what, error) => {
    const answer = await failing(error);
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: 'service_unavailable' },
    });
    expect(answer.text).not.toContain('SECRET');
  });

  it.each([
    ['a fault of our own', new TypeError("Cannot read properties of undefined (reading 'SECRET')")],
    ['a refused right', named('AccessDeniedException', { $metadata: { httpStatusCode: 400 } })],
    ['a missing table', named('ResourceNotFoundException', { $metadata: { httpStatusCode: 400 } })],
    ['a secret that is not set', named('SecretNotSet')],
    ['an unreadable item', named('ZodError', { issues: [{ message: 'SECRET' }] })],
    ['a text', 'SECRET'],
    ['nothing', undefined],
  ])('is 500 without Retry-After if a retry would not help: %s', async (_what, error) => {
    const answer = await failing(error);
    expect(answer).toMatchObject({ status: 500, body: { error: 'internal_error' } });
    expect(answer.headers).not.toHaveProperty('retry-after');
    expect(answer.text).not.toContain('SECRET');
  });

  it('is never shown to the client', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 8 }), fc.string({ minLength: 8 }), async (message, name) => {
        const { text, body } = await failing(Object.assign(new Error(message), { name }));
        const ours = ['Something went wrong on our side.', 'The service is busy. Try again in a moment.'];
        expect(ours).toContain(body.message);
        expect(Object.keys(body)).toEqual(['error', 'message']);
        fc.pre(
          !ours.some((sentence) => sentence.includes(message)) &&
            !'"error":"internal_error","message"'.includes(message),
        );
        expect(text).not.toContain(message);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the request that a route reads', () => {
  it('has its id, its addresses, lower-case headers, cookies, claims, path parameters, query and the bytes of its body', async () => {
    const seen: RestRequest[] = [];
    const route = async (request: RestRequest) => {
      seen.push(request);
      return { status: 200, body: {} };
    };
    const headers = { authorization: 'Bearer k', 'x-forwarded-for': '198.51.100.7, 192.0.2.1' };
    const request = { headers, body: '{"ü":1}' };
    const { requestContext } = anHttpEvent();
    const authorizer = { jwt: { claims: { sub: 'u1' }, scopes: [] } };
    await answerOf(
      route,
      anHttpEvent({
        ...request,
        cookies: ['a=1', 'b=2'],
        pathParameters: { id: 'call_1' },
        queryStringParameters: { a: 'b' },
        requestContext: { ...requestContext, authorizer } as typeof requestContext,
      }),
    );
    await answerOf(route, anHttpEvent({ body: Buffer.from([0xff, 0x00]).toString('base64'), isBase64Encoded: true }));
    await answerOf(route);
    expect(seen).toEqual([
      {
        id: 'request-1',
        route: 'POST /v1/calls/outbound',
        rawPath: '/v1/calls/outbound',
        from: { address: '192.0.2.1', forwarded_for: '198.51.100.7' },
        headers,
        path: { id: 'call_1' },
        query: { a: 'b' },
        cookies: ['a=1', 'b=2'],
        claims: { sub: 'u1' },
        body: Buffer.from('{"ü":1}'),
      },
      expect.objectContaining({ path: {}, cookies: [], claims: {}, body: Buffer.from([0xff, 0x00]) }),
      expect.objectContaining({ from: { address: '192.0.2.1' }, body: Buffer.alloc(0) }),
    ]);
  });
});

describe('the log of a request', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('contains the call or the connection in its path, and no other text of it', async () => {
    const keys = jest.spyOn(logger, 'appendKeys').mockImplementation(() => {});
    const call_id = `call_${'0a'.repeat(16)}`;
    const connection_id = `conn_${'0a'.repeat(12)}`;
    for (const id of [call_id, connection_id, '+919812345678', `${call_id}0`, ` ${call_id}`])
      await answerOf(async () => ({ status: 200 }), anHttpEvent({ pathParameters: { id, other: 'SECRET' } }));
    const common = { request_id: 'request-1', route: 'POST /v1/calls/outbound' };
    // The emulator says null where API Gateway omits the member.
    const nothing = null as unknown as Record<string, string>;
    await answerOf(async () => ({ status: 200 }), anHttpEvent({ pathParameters: nothing }));
    expect(keys.mock.calls).toEqual([
      [{ ...common, call_id }],
      [{ ...common, connection_id }],
      ...Array(4).fill([common]),
    ]);
  });

  it('contains its addresses, and no other text of their header', async () => {
    const lines = jest.spyOn(logger, 'info').mockImplementation(() => {});
    for (const header of ['SECRET, 198.51.100.7, 192.0.2.1', '198.51.100.7, SECRET, 192.0.2.1'])
      await answerOf(async () => ({ status: 200 }), anHttpEvent({ headers: { 'x-forwarded-for': header } }));
    const line = { status: 200, address: '192.0.2.1' };
    expect(lines.mock.calls).toEqual([
      ['answered', { ...line, forwarded_for: '198.51.100.7' }],
      ['answered', line],
    ]);
  });

  it.each([
    ['error', 'failed', new TypeError('x')],
    ['warn', 'unavailable', new TransactionContention('x')],
  ] as const)('contains its addresses in the line of level %s, too: %s', async (level, message, error) => {
    const lines = jest.spyOn(logger, level).mockImplementation(() => {});
    const event = anHttpEvent({ headers: { 'x-forwarded-for': '198.51.100.7, 192.0.2.1' } });
    await answerOf(() => Promise.reject(error), event);
    const from = { address: '192.0.2.1', forwarded_for: '198.51.100.7' };
    expect(lines.mock.calls).toEqual([[message, expect.objectContaining(from)]]);
  });
});
