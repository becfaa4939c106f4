import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { ConsentCallback, ConsentResult } from '../operations/connections/complete-consent.ts';
import { addressesOf } from './event-addresses.ts';
import { logger } from './logger.ts';

/**
 * Creates the Lambda handler of an OAuth callback, which redirects the browser with the result. The query carries the
 * authorization code, so it must not reach a log, a header or a cache.
 * @param dashboardUrl target of the redirect
 */
export function oauthRoute(complete: (callback: ConsentCallback) => Promise<ConsentResult>, dashboardUrl: string) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context>()
    .before(({ event }) => {
      logger.resetKeys();
      logger.appendKeys({ request_id: event.requestContext.requestId, route: event.routeKey });
    })
    .onError((request) => {
      logger.error('failed', { error: request.error, ...addressesOf(request.event) });
      request.response = answer(request.event, 500, { error: 'internal error' });
    })
    .handler(async (event) => {
      const { state, code, error, 'accounts-server': accountsServer } = event.queryStringParameters ?? {};
      const result = await complete({ state, code, error, accountsServer });
      // Omits the connection's id, because `completeConsent` has added it to every log line.
      const { kind: outcome, connectionId: _, ...facts } = { connectionId: undefined, ...result };
      logger.info('answered', { outcome, ...facts, ...addressesOf(event) });
      if (result.kind === 'invalid_state' && !isBrowser(event)) return answer(event, 400, { error: 'invalid_state' });
      return answer(event, 302, undefined, { location: redirectUrl(dashboardUrl, result) });
    });
}

/**
 * Returns whether a browser sent the request: only browsers accept HTML. The dashboard then explains to the person that
 * the state has expired.
 */
const isBrowser = ({ headers }: APIGatewayProxyEventV2): boolean => headers.accept?.includes('text/html') ?? false;

function redirectUrl(dashboardUrl: string, result: ConsentResult): string {
  const url = new URL(dashboardUrl);
  if (result.kind === 'invalid_state') url.searchParams.set('error', result.kind);
  else if (result.kind === 'failed') url.searchParams.set('error', result.error);
  else if (result.kind === 'pending') url.searchParams.set('pending', result.connectionId);
  else {
    url.searchParams.set('connected', result.connectionId);
    if (result.channel === 'failed') url.searchParams.set('channel', 'failed');
    if (result.organization === 'not_chosen') url.searchParams.set('organization', 'not_chosen');
  }
  return url.href;
}

const answer = (
  { requestContext }: APIGatewayProxyEventV2,
  statusCode: number,
  body?: object,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: {
    ...(body && { 'content-type': 'application/json' }),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-request-id': requestContext.requestId,
    ...headers,
  },
  ...(body && { body: JSON.stringify(body) }),
});
