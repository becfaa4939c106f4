import '../support/silence.ts';
import { describe, expect, it } from '@jest/globals';
import { type WebhookRequest, webhookRoute } from '../../../shared/runtime/webhook-route.ts';
import { aContext, anHttpEvent } from '../support/lambda.ts';

async function jsonOf(event: Parameters<typeof anHttpEvent>[0]) {
  let seen: WebhookRequest | undefined;
  const route = webhookRoute(async (request) => {
    seen = request;
    return { status: 200, body: { received: true } };
  });
  await route(anHttpEvent(event), aContext());
  return seen?.json;
}

describe('an inbound webhook', () => {
  it('reads a JSON body whatever its content type says, plain or in base64', async () => {
    expect(await jsonOf({ body: '{"a":"ü"}', headers: { 'content-type': 'text/plain' } })).toEqual({ a: 'ü' });
    expect(await jsonOf({ body: Buffer.from('{"a":"ü"}').toString('base64'), isBase64Encoded: true })).toEqual({
      a: 'ü',
    });
  });

  it.each([undefined, '', '{', 'a=1'])('reads nothing where the body is none: %j', async (body) => {
    expect(await jsonOf(body === undefined ? {} : { body })).toBeUndefined();
  });

  it('answers 500 with only a code where it fails, so that the sender repeats it', async () => {
    const route = webhookRoute(async () => {
      throw new Error('SECRET queue url');
    });
    const answer = await route(anHttpEvent(), aContext());
    expect(answer.statusCode).toBe(500);
    expect(Object.keys(JSON.parse(answer.body ?? ''))).toEqual(['error']);
    expect(answer.body).not.toContain('SECRET');
  });
});
