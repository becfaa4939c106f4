import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

/** The part of Lambda's context that our handlers read. */
export const aContext = (): Context =>
  ({ awsRequestId: 'invocation-1', functionName: 'f', getRemainingTimeInMillis: () => 25_000 }) as Context;

/** A request as an HTTP API passes it on (payload format 2.0). */
export const anHttpEvent = (over: Partial<APIGatewayProxyEventV2> = {}): APIGatewayProxyEventV2 => ({
  version: '2.0',
  routeKey: 'POST /v1/calls/outbound',
  rawPath: '/v1/calls/outbound',
  rawQueryString: '',
  headers: {},
  isBase64Encoded: false,
  requestContext: {
    accountId: '1',
    apiId: 'a',
    domainName: 'd',
    domainPrefix: 'p',
    http: { method: 'POST', path: '/', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'jest' },
    requestId: 'request-1',
    routeKey: 'POST /v1/calls/outbound',
    stage: '$default',
    time: '',
    timeEpoch: 0,
  },
  ...over,
});
