import { createClient } from '../../../dashboard/app/client.ts';
import { changeRole, listMembers } from '../../../shared/messages/dashboard/people.ts';
import { changePassword, requestPasswordReset, signOut } from '../../../shared/messages/dashboard/session.ts';

type Sent = { address: string; method: string | undefined; headers: Headers; body: unknown };

const list = { items: [], next: null };

/** A client whose requests get the given answers, one after the other. */
function clientOf(...answers: (() => Response | Promise<Response>)[]) {
  const sent: Sent[] = [];
  const replaced: string[] = [];
  const call = createClient(
    async (address, init) => {
      sent.push({ address, method: init.method, headers: new Headers(init.headers), body: init.body });
      const answer = answers[sent.length - 1];
      if (!answer) throw new Error('no more answers');
      return await answer();
    },
    {
      token: async () => 'first',
      replace: async (refused) => {
        replaced.push(refused);
        return 'second';
      },
    },
  );
  return { call, sent, replaced };
}

const refused = (error?: string) => () => Response.json(error ? { error, message: 'No.' } : {}, { status: 401 });
const ok = (body: unknown) => () => Response.json(body);

describe('the client', () => {
  it('sends the token and the query, and reads the answer', async () => {
    const { call, sent } = clientOf(ok(list));
    await expect(call(listMembers, { query: { limit: '50', next: 'a b' } })).resolves.toEqual(list);
    expect(sent[0]?.address).toBe('/api/dashboard/members?limit=50&next=a+b');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer first');
    expect(sent[0]?.headers.has('x-dashboard')).toBe(false);
  });

  it('puts parameters into the path as one part', async () => {
    const member = { user_id: 'u', email: 'e', name: 'n', role: 'admin', created_at: '' };
    const { call, sent } = clientOf(ok(member));
    await call(changeRole, { params: { id: '../me?x' }, body: { role: 'admin' } });
    expect(sent[0]?.address).toBe('/api/dashboard/members/..%2Fme%3Fx');
  });

  it.each([[undefined], ['session_ended'], ['unauthorized']])(
    'sends it once more with a new token after 401 (%s)',
    async (code) => {
      const { call, sent, replaced } = clientOf(refused(code), ok(list));
      await expect(call(listMembers, {})).resolves.toEqual(list);
      expect(replaced).toEqual(['first']);
      expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer first', 'Bearer second']);
    },
  );

  it('gives up after the second 401', async () => {
    const { call, sent } = clientOf(refused(), refused());
    await expect(call(listMembers, {})).rejects.toMatchObject({ status: 401, code: 'session_ended' });
    expect(sent).toHaveLength(2);
  });

  it('takes a wrong present password for no end of the session', async () => {
    const { call, sent } = clientOf(refused('wrong_credentials'));
    const body = { password: 'wrong', new_password: 'another one' };
    await expect(call(changePassword, { body })).rejects.toMatchObject({ code: 'wrong_credentials' });
    expect(sent).toHaveLength(1);
  });

  it('sends the header of the session’s routes, and no token', async () => {
    const { call, sent } = clientOf(() => new Response(null, { status: 204 }));
    await expect(call(signOut, { body: {}, query: { everywhere: 'true' } })).resolves.toBeUndefined();
    expect(sent[0]).toMatchObject({ address: '/api/dashboard/session?everywhere=true', method: 'DELETE', body: '{}' });
    expect(sent[0]?.headers.get('x-dashboard')).toBe('1');
    expect(sent[0]?.headers.has('authorization')).toBe(false);
  });

  it.each<[string, () => Response | Promise<Response>, object]>([
    [
      'the error, its fields, the request id and the wait',
      () =>
        Response.json(
          { error: 'invalid_request', message: 'Bad.', fields: [{ path: 'email', message: 'No address.' }, 'junk'] },
          { status: 400, headers: { 'x-request-id': 'r1', 'retry-after': '7' } },
        ),
      { code: 'invalid_request', fields: [{ path: 'email', message: 'No address.' }], requestId: 'r1', retryAfter: 7 },
    ],
    ['an answer of the gateway', () => new Response('<html>', { status: 503 }), { code: 'service_unavailable' }],
    [
      'its limit',
      () => Response.json({ message: 'Too Many Requests' }, { status: 429 }),
      { code: 'rate_limit_exceeded' },
    ],
    ['no answer', () => Promise.reject(new TypeError('fetch failed')), { code: 'network', status: 0 }],
  ])('reads %s', async (_, answer, expected) => {
    const { call } = clientOf(answer);
    await expect(call(requestPasswordReset, { body: { email: 'a@example.com' } })).rejects.toMatchObject(expected);
  });

  it('refuses an answer of another form', async () => {
    const { call } = clientOf(ok({ items: 'many' }));
    await expect(call(listMembers, {})).rejects.toMatchObject({ code: 'unexpected_answer' });
  });
});
