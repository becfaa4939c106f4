import { setTimeout as sleep } from 'node:timers/promises';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { ApiError } from '../../../dashboard/app/api/api-error.ts';
import { queryClient } from '../../../dashboard/app/query/query-client.ts';
import { refetchAfter } from '../../../dashboard/app/query/refetch-intervals.ts';
import {
  errorToShow,
  findStaleData,
  hasFailedQuery,
  listQueries,
  retryFailedQueries,
} from '../../../dashboard/app/query/stale-data.ts';
import { createClient } from '../../../dashboard/app/session/client.ts';
import { changeRole, listMembers } from '../../../shared/messages/dashboard/people.ts';
import { changePassword, requestPasswordReset, signOut } from '../../../shared/messages/dashboard/session.ts';

type Sent = { address: string; method: string | undefined; headers: Headers; body: unknown };

const list = { items: [], next: null };

/** A client whose requests get the given answers in sequence. */
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
      getToken: async () => 'first',
      replaceToken: async (refused) => {
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

  it('encodes each path parameter as one segment', async () => {
    const member = { user_id: 'u', email: 'e', name: 'n', role: 'admin', created_at: '' };
    const { call, sent } = clientOf(ok(member));
    await call(changeRole, { params: { id: '../me?x' }, body: { role: 'admin' } });
    expect(sent[0]?.address).toBe('/api/dashboard/members/..%2Fme%3Fx');
  });

  it.each([[undefined], ['session_ended'], ['unauthorized']])(
    'repeats the request once with a new token after 401 (%s)',
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

  it('keeps the session after a wrong current password', async () => {
    const { call, sent } = clientOf(refused('wrong_credentials'));
    const body = { password: 'wrong', new_password: 'another one' };
    await expect(call(changePassword, { body })).rejects.toMatchObject({ code: 'wrong_credentials' });
    expect(sent).toHaveLength(1);
  });

  it('sends the session header and no token to the session routes', async () => {
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
      'the rate limit of the gateway',
      () => Response.json({ message: 'Too Many Requests' }, { status: 429 }),
      { code: 'rate_limit_exceeded' },
    ],
    ['no answer', () => Promise.reject(new TypeError('fetch failed')), { code: 'network', status: 0 }],
  ])('reads %s', async (_, answer, expected) => {
    const { call } = clientOf(answer);
    await expect(call(requestPasswordReset, { body: { email: 'a@example.com' } })).rejects.toMatchObject(expected);
  });

  it('waits for a hanging service once, and names the reason', async () => {
    jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
    const { call } = clientOf(() => Promise.reject(new DOMException('', 'TimeoutError')));
    const error = await call(listMembers, {}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'timed_out', status: 0 });
    const { retry } = queryClient.getDefaultOptions().queries ?? {};
    if (typeof retry !== 'function') throw new Error('no rule of retries');
    expect([error, new ApiError({ status: 0, code: 'network' })].map((one) => retry(0, one as Error))).toEqual([
      false,
      true,
    ]);
  });

  it('treats half an answer as no answer, because the request may have had its effect', async () => {
    const half = () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError('terminated')) }));
    const { call } = clientOf(half);
    await expect(call(listMembers, {})).rejects.toMatchObject({ code: 'network', status: 0 });
  });

  it('rejects an answer of another form', async () => {
    const { call } = clientOf(ok({ items: 'many' }));
    await expect(call(listMembers, {})).rejects.toMatchObject({ code: 'unexpected_answer' });
  });
});

describe('data on a page', () => {
  /** A page with reads of these names, which all succeed or all fail. */
  async function aPage(...names: string[]) {
    const page = { failure: undefined as ApiError | undefined, answered: 0, read: async () => {}, end: () => {} };
    const client = new QueryClient();
    const observers = names.map(
      (name) =>
        new QueryObserver(client, {
          queryKey: [name],
          queryFn: async () => {
            if (page.failure) throw page.failure;
            page.answered += 1;
            return name;
          },
          retry: false,
        }),
    );
    const ends = observers.map((observer) => observer.subscribe(() => {}));
    page.end = () => {
      for (const end of ends) end();
    };
    page.read = async () => {
      await client.refetchQueries();
    };
    await page.read();
    return Object.assign(page, { client });
  }

  const down = new ApiError({ status: 503, code: 'service_unavailable', requestId: 'req-1' });
  const lost = new ApiError({ status: 0, code: 'network' });

  it('stays while the service is unavailable, marked with its oldest time', async () => {
    const page = await aPage('me', 'calls');
    expect(findStaleData(listQueries(page.client), true)).toBeUndefined();
    const times = listQueries(page.client).map(({ state }) => state.dataUpdatedAt);
    page.failure = lost;
    await page.read();
    expect(findStaleData(listQueries(page.client), true)).toEqual({ since: Math.min(...times), error: lost });
    page.failure = down;
    await page.client.refetchQueries({ queryKey: ['calls'] });
    expect(findStaleData(listQueries(page.client), true)?.error).toBe(down);
    // The page itself shows a failure that does not pass by itself.
    page.failure = new ApiError({ status: 404, code: 'call_not_found' });
    await page.read();
    expect(findStaleData(listQueries(page.client), true)).toBeUndefined();
    expect(errorToShow({ data: 'calls', error: page.failure })).toBe(page.failure);
    expect([errorToShow({ data: 'calls', error: down }), errorToShow({ data: undefined, error: down })]).toEqual([
      null,
      down,
    ]);
    page.end();
  });

  it('is stale at once if the browser is offline and a page shows it', async () => {
    const page = await aPage('me');
    expect(findStaleData(listQueries(page.client), false)).toEqual({ since: expect.any(Number), error: null });
    page.end();
    expect(findStaleData(listQueries(page.client), false)).toBeUndefined();
  });

  it('is read again automatically once one small read shows that the service answers', async () => {
    const page = await aPage('me', 'members', 'calls');
    page.failure = down;
    await page.read();
    expect(hasFailedQuery(listQueries(page.client))).toBe(true);
    await retryFailedQueries(page.client, ['me']);
    expect(listQueries(page.client).map(({ state }) => state.errorUpdateCount)).toEqual([2, 1, 1]);
    page.failure = undefined;
    page.answered = 0;
    await retryFailedQueries(page.client, ['me']);
    expect([page.answered, hasFailedQuery(listQueries(page.client))]).toEqual([3, false]);
    page.end();
  });

  it('is read again by one request, however often a recovery is tried before a slow answer', async () => {
    const page = await aPage('me');
    let requests = 0;
    const answer = Promise.withResolvers<string>();
    const slow = new QueryObserver(page.client, {
      queryKey: ['calls'],
      queryFn: () => {
        requests += 1;
        return requests === 1 ? Promise.reject(down) : answer.promise;
      },
      initialData: 'old',
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    });
    const end = slow.subscribe(() => {});
    await page.client.refetchQueries({ queryKey: ['calls'] });
    const tries = [retryFailedQueries(page.client, ['me']), retryFailedQueries(page.client, ['me'])];
    await new Promise(setImmediate);
    tries.push(retryFailedQueries(page.client, ['me']));
    answer.resolve('new');
    await Promise.all(tries);
    expect([requests, page.client.getQueryData(['calls'])]).toEqual([2, 'new']);
    end();
    page.end();
  });

  it('is not read again before the wait that the service demands is over', async () => {
    const page = await aPage('me', 'calls');
    page.failure = new ApiError({ status: 429, code: 'rate_limit_exceeded', retryAfter: 0.05 });
    await page.read();
    page.failure = undefined;
    page.answered = 0;
    await retryFailedQueries(page.client, ['me']);
    expect(page.answered).toBe(0);
    await sleep(60);
    await retryFailedQueries(page.client, ['me']);
    expect(page.answered).toBe(2);
    page.end();
  });

  it('is not read at its own interval while it fails, because the recovery reads it', async () => {
    const page = await aPage('calls');
    const query = page.client.getQueryCache().find({ queryKey: ['calls'] });
    const intervalNow = () => query && refetchAfter(2_000, query.state);
    expect(intervalNow()).toBe(2_000);
    page.failure = down;
    await page.read();
    expect(intervalNow()).toBe(false);
    page.failure = undefined;
    await page.read();
    expect(intervalNow()).toBe(2_000);
    page.end();
  });

  it('is read at its interval if the page does not have it yet, after the demanded wait', async () => {
    const client = new QueryClient();
    const busy = new ApiError({ status: 429, code: 'rate_limit_exceeded', retryAfter: 30 });
    const read = { queryKey: ['calls'], queryFn: () => Promise.reject(busy), retry: false };
    await expect(client.fetchQuery(read)).rejects.toBe(busy);
    const state = client.getQueryState(['calls']);
    if (!state) throw new Error('no state');
    expect(refetchAfter(false, state)).toBe(false);
    expect(refetchAfter(60_000, state)).toBe(60_000);
    expect(refetchAfter(2_000, state)).toBeGreaterThan(29_000);
  });

  it('is not read again by the recovery if it alone fails and the page has no former data', async () => {
    const page = await aPage('me');
    const alone = new QueryObserver(page.client, {
      queryKey: ['members'],
      queryFn: () => Promise.reject(down),
      retry: false,
    });
    const end = alone.subscribe(() => {});
    await page.client.refetchQueries({ queryKey: ['members'] });
    const failures = () => page.client.getQueryState(['members'])?.errorUpdateCount;
    const before = failures();
    await retryFailedQueries(page.client, ['me']);
    expect(failures()).toBe(before);
    end();
    page.end();
  });
});
