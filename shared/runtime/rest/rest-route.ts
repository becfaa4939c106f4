import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { TransactionContention } from '../../domain/contention.ts';
import type { RequestAddresses } from '../../domain/organizations/requester.ts';
import { type ErrorCode, statusOfError } from '../../messages/rest/errors.ts';
import { addressesOf } from '../event-addresses.ts';
import { idsInPath } from '../logged-ids.ts';
import { logger } from '../logger.ts';

export type RestRequest = {
  id: string;
  /** Method and path as deployed, with the parameters in braces. */
  route: string;
  /** The path of the request. */
  rawPath: string;
  from: RequestAddresses;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  path: Readonly<Record<string, string | undefined>>;
  query: Readonly<Record<string, string | undefined>>;
  /** Each `name=value`. */
  cookies: readonly string[];
  /** Claims of the token that the gateway's authorizer has accepted; none on routes without one. */
  claims: Readonly<Record<string, unknown>>;
  /** The raw bytes. */
  body: Buffer;
};

export type RestAnswer = {
  status: number;
  headers?: Record<string, string>;
  /** Values of Set-Cookie headers. */
  cookies?: string[];
  body?: object;
};

/** The body of an error answer: its code, its message, and additional members. */
export type RestRefusal = { error: ErrorCode; message: string } & Record<string, unknown>;

/** Builds an error answer of the documented shape. */
export const refuse = (refusal: RestRefusal, headers: Record<string, string> = {}): RestAnswer => ({
  status: statusOfError[refusal.error],
  headers,
  body: refusal,
});

const RETRY_AFTER_SECONDS = '1';

/**
 * Creates the Lambda handler of a REST route: parses the request, runs the route, answers JSON with `X-Request-Id`. An
 * exception becomes 503 if a retry may succeed, otherwise 500. Its message is never sent; it is logged only for a 500.
 */
export function restRoute(route: (request: RestRequest) => Promise<RestAnswer>) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context>()
    .before(({ event }) => {
      logger.resetKeys();
      logger.appendKeys({
        request_id: event.requestContext.requestId,
        route: event.routeKey,
        ...idsInPath(event.pathParameters ?? {}),
      });
    })
    .after(({ event, response }) => {
      logger.info('answered', { status: response?.statusCode, ...addressesOf(event) });
      response?.headers && Object.assign(response.headers, { 'x-request-id': event.requestContext.requestId });
    })
    .onError((request) => {
      request.response = { ...answerJson(answerTo(request.error, addressesOf(request.event))) };
      Object.assign(request.response.headers ?? {}, { 'x-request-id': request.event.requestContext.requestId });
    })
    .handler(async (event) => answerJson(await route(readRequest(event))));
}

type WithClaims = { authorizer: { jwt: { claims: Record<string, unknown> } } };

function readRequest(event: APIGatewayProxyEventV2): RestRequest {
  return {
    id: event.requestContext.requestId,
    route: event.routeKey,
    rawPath: event.rawPath,
    from: addressesOf(event),
    headers: event.headers,
    path: event.pathParameters ?? {},
    query: event.queryStringParameters ?? {},
    cookies: event.cookies ?? [],
    claims: (event.requestContext as Partial<WithClaims>).authorizer?.jwt.claims ?? {},
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  };
}

function answerTo(error: Error | null, from: RequestAddresses): RestAnswer {
  if (isTransient(error)) {
    logger.warn('unavailable', { error: error?.name, ...from });
    return refuse(
      { error: 'service_unavailable', message: 'The service is busy. Try again in a moment.' },
      { 'retry-after': RETRY_AFTER_SECONDS },
    );
  }
  logger.error('failed', { error, ...from });
  return refuse({ error: 'internal_error', message: 'Something went wrong on our side.' });
}

/** Failures of a dependency after which a retry may succeed: contention, throttling, time-outs, 5xx. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransactionContention) return true;
  const {
    name = '',
    code = '',
    $metadata,
    $retryable,
  } = (error ?? {}) as {
    name?: string;
    code?: string;
    $metadata?: { httpStatusCode?: number };
    $retryable?: object;
  };
  return (
    $retryable !== undefined ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    /Timeout|Throttl|LimitExceeded|TransactionConflict|ThroughputExceeded|ECONNREFUSED|ECONNRESET/.test(
      `${name} ${code}`,
    )
  );
}

const answerJson = ({ status, headers = {}, cookies, body }: RestAnswer): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  ...(cookies && { cookies }),
  headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
  ...(body && { body: JSON.stringify(body) }),
});
