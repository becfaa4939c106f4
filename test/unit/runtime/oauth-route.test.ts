import '../support/silence.ts';
import type { ConsentCallback, ConsentResult } from '../../../shared/operations/connections/complete-consent.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { oauthRoute } from '../../../shared/runtime/oauth-route.ts';
import { aContext, anHttpEvent } from '../support/lambda.ts';

const query = {
  state: 'st-hidden',
  code: '1000.hidden',
  location: 'in',
  'accounts-server': 'https://accounts.zoho.in',
};

async function answerTo(
  result: () => Promise<ConsentResult>,
  { asked = query as Record<string, string> | null, dashboard = 'https://calls.example', accept = '*/*' } = {},
) {
  const seen: ConsentCallback[] = [];
  const route = oauthRoute(async (callback) => {
    seen.push(callback);
    return result();
  }, dashboard);
  const event = anHttpEvent({
    routeKey: 'GET /api/oauth/crm-b/callback',
    headers: { accept, 'x-forwarded-for': '198.51.100.7, 192.0.2.1' },
    ...(asked && { queryStringParameters: asked }),
  });
  return { seen, answer: await route(event, aContext()) };
}

const failed = async (): Promise<ConsentResult> => ({ kind: 'failed', error: 'access_denied' });
type Connected = Extract<ConsentResult, { kind: 'connected' }>;
const connected =
  (channel: Connected['channel'], organization?: Connected['organization']) => async (): Promise<ConsentResult> => ({
    kind: 'connected',
    connectionId: 'conn_1',
    channel,
    ...(organization && { organization }),
  });

describe('an OAuth callback', () => {
  it('reads the query as the accounts server sends it', async () => {
    const { seen } = await answerTo(failed);
    expect(seen).toEqual([
      { state: 'st-hidden', code: '1000.hidden', error: undefined, accountsServer: 'https://accounts.zoho.in' },
    ]);
    const none = { state: undefined, code: undefined, error: undefined, accountsServer: undefined };
    expect((await answerTo(failed, { asked: null })).seen).toEqual([none]);
  });

  const dashboard = 'https://calls.example';
  it.each([
    ['https://calls.example/?connected=conn_1', connected('armed'), dashboard],
    ['https://calls.example/?connected=conn_1', connected('none'), 'https://calls.example/'],
    ['https://calls.example/?connected=conn_1&channel=failed', connected('failed'), dashboard],
    ['https://calls.example/?connected=conn_1', connected('none', 'chosen'), dashboard],
    ['https://calls.example/?connected=conn_1&organization=not_chosen', connected('none', 'not_chosen'), dashboard],
    ['https://app.example/x?a=1&error=access_denied', failed, 'https://app.example/x?a=1'],
  ])('redirects the person to %s', async (location, result, address) => {
    const { answer } = await answerTo(result, { dashboard: address });
    expect(answer).toMatchObject({ statusCode: 302, headers: { location } });
    expect(answer.body).toBeUndefined();
  });

  it('answers 400 to an invalid state and 500 to a failure, without a redirect', async () => {
    const { answer: refused } = await answerTo(async () => ({ kind: 'invalid_state' }));
    const { answer: broken } = await answerTo(() => Promise.reject(new Error('x')));
    expect(refused).toMatchObject({ statusCode: 400, body: '{"error":"invalid_state"}' });
    expect(broken).toMatchObject({ statusCode: 500, body: '{"error":"internal error"}' });
    for (const { headers } of [refused, broken]) expect(headers).not.toHaveProperty('location');
  });

  it('sends a person whose state has expired back to the dashboard, with this reason', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const { answer } = await answerTo(async () => ({ kind: 'invalid_state' }), { accept });
    expect(answer).toMatchObject({
      statusCode: 302,
      headers: { location: 'https://calls.example/?error=invalid_state' },
    });
  });

  it.each([
    ['info', 'answered', failed],
    ['error', 'failed', () => Promise.reject(new Error('x'))],
  ] as const)('has its addresses in its log line of level %s: %s', async (level, message, result) => {
    const lines = jest.spyOn(logger, level).mockImplementation(() => {});
    await answerTo(result);
    const from = { address: '192.0.2.1', forwarded_for: '198.51.100.7' };
    expect(lines.mock.calls).toEqual([[message, expect.objectContaining(from)]]);
    lines.mockRestore();
  });

  it('leaves code and state in no log, answer, cache or referrer', async () => {
    const lines: unknown[] = [];
    const spies = (['info', 'warn', 'error', 'appendKeys'] as const).map((level) =>
      jest.spyOn(logger, level).mockImplementation((...said: unknown[]) => void lines.push(said)),
    );
    const answers = [failed, connected('armed'), async (): Promise<ConsentResult> => ({ kind: 'invalid_state' })];
    for (const result of answers) lines.push((await answerTo(result)).answer);
    for (const spy of spies) spy.mockRestore();
    expect(JSON.stringify(lines)).not.toContain('hidden');
    expect((await answerTo(failed)).answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-request-id': 'request-1',
    });
  });
});
