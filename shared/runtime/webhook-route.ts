import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { readExactJson } from '../domain/text/exact-json.ts';
import { addressesOf } from './event-addresses.ts';
import { idsInPath } from './logged-ids.ts';
import { logger } from './logger.ts';

export type WebhookRequest = {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  path: Readonly<Record<string, string | undefined>>;
  /** The raw body. */
  text: string;
  /** The body parsed as JSON, regardless of its content type, as `readExactJson` does; undefined if it is not JSON. */
  json: unknown;
};

export type WebhookAnswer = { status: number; body?: object };

/**
 * Creates the Lambda handler of an inbound webhook. An exception becomes 500, so that the sender retries. Error bodies
 * carry only `error` (docs/rest-api.md, "Errors").
 */
export function webhookRoute(route: (request: WebhookRequest) => Promise<WebhookAnswer>) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context>()
    .before(({ event }) => {
      logger.resetKeys();
      logger.appendKeys({
        request_id: event.requestContext.requestId,
        route: event.routeKey,
        ...idsInPath(event.pathParameters ?? {}),
      });
    })
    .onError((request) => {
      logger.error('failed', { error: request.error, ...addressesOf(request.event) });
      request.response = answerJson({ status: 500, body: { error: 'internal error' } }, request.event);
    })
    .handler(async (event) => {
      const text = textOf(event);
      const answer = await route({
        headers: event.headers,
        path: event.pathParameters ?? {},
        text,
        // Parsed lazily: the sender may not be authenticated yet.
        get json() {
          return readExactJson(text);
        },
      });
      logger.info('answered', { status: answer.status, ...addressesOf(event) });
      return answerJson(answer, event);
    });
}

/** Strips the byte order mark that some senders prepend. */
const textOf = ({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): string =>
  (isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body).replace(/^\uFEFF/, '');

const answerJson = (
  { status, body }: WebhookAnswer,
  { requestContext }: APIGatewayProxyEventV2,
): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', 'x-request-id': requestContext.requestId },
  ...(body && { body: JSON.stringify(body) }),
});
