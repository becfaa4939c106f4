import middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { logger } from './logger.ts';

export type WebhookRequest = {
  /** Lower-case names. */
  headers: Readonly<Record<string, string | undefined>>;
  path: Readonly<Record<string, string | undefined>>;
  /** The body as it came. */
  text: string;
  /** The body read as JSON, whatever its content type says; undefined where it is none. */
  json: unknown;
};

export type WebhookAnswer = { status: number; body?: object };

const LONGEST_ID = 64;

/**
 * The Lambda handler of an inbound webhook. What the route throws becomes 500, so that the sender repeats it. Error bodies
 * carry only `error` (interface, "Errors").
 */
export function webhookRoute(route: (request: WebhookRequest) => Promise<WebhookAnswer>) {
  return middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context>()
    .before(({ event }) => {
      logger.resetKeys();
      logger.appendKeys({
        request_id: event.requestContext.requestId,
        route: event.routeKey,
        connection_id: event.pathParameters?.connectionId?.slice(0, LONGEST_ID),
      });
    })
    .onError((request) => {
      logger.error('failed', request.error as Error);
      request.response = answerJson({ status: 500, body: { error: 'internal error' } }, request.event);
    })
    .handler(async (event) => {
      const text = textOf(event);
      const answer = await route({
        headers: event.headers,
        path: event.pathParameters ?? {},
        text,
        // Only when it is asked for: who sent it may not be known yet.
        get json() {
          return readJson(text);
        },
      });
      logger.info('answered', { status: answer.status });
      return answerJson(answer, event);
    });
}

/** Without the mark that some senders put before UTF-8. */
const textOf = ({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): string =>
  (isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body).replace(/^\uFEFF/, '');

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const answerJson = (
  { status, body }: WebhookAnswer,
  { requestContext }: APIGatewayProxyEventV2,
): APIGatewayProxyStructuredResultV2 => ({
  statusCode: status,
  headers: { 'content-type': 'application/json', 'x-request-id': requestContext.requestId },
  ...(body && { body: JSON.stringify(body) }),
});
