import { ApiError } from '../../../dashboard/app/api/api-error.ts';
import { createClient } from '../../../dashboard/app/session/client.ts';
import { createSession, type TabMessage } from '../../../dashboard/app/session/session.ts';
import { updateMe } from '../../../shared/messages/dashboard/people.ts';
import type { Session } from '../../../shared/messages/dashboard/session.ts';

const ended = () => new ApiError({ status: 401, code: 'no_session' });
const offline = () => new ApiError({ status: 0, code: 'network' });
const tokenOf = (sub: string, number: number) =>
  `h.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.${number}`;

/** A browser with a test-controlled clock, cookie and other tabs. */
function browser({ person = 'priya', isRemembered = true } = {}) {
  const world = {
    now: 1_000_000,
    isVisible: true,
    isRemembered,
    /** The person of the cookie; undefined without a valid cookie. */
    cookie: person as string | undefined,
    failure: undefined as Error | undefined,
    refreshes: 0,
    sent: [] as TabMessage[],
    clears: 0,
    reloads: 0,
    timer: undefined as { run: () => void; at: number } | undefined,
  };
  const issue = (): Session => ({ access_token: tokenOf(world.cookie ?? '', world.refreshes), expires_in: 600 });
  const session = createSession({
    refresh: async () => {
      world.refreshes += 1;
      await Promise.resolve();
      if (world.failure) throw world.failure;
      if (world.cookie === undefined) throw ended();
      return issue();
    },
    now: () => world.now,
    setTimer: (run, milliseconds) => {
      world.timer = { run, at: world.now + milliseconds };
      return () => {
        world.timer = undefined;
      };
    },
    isVisible: () => world.isVisible,
    hasSignedInBefore: () => world.isRemembered,
    storeSignedIn: (isSignedIn) => {
      world.isRemembered = isSignedIn;
    },
    notifyTabs: (message) => world.sent.push(message),
    clearData: () => {
      world.clears += 1;
    },
    reloadApp: () => {
      world.reloads += 1;
    },
  });
  const pass = (milliseconds: number) => {
    world.now += milliseconds;
    if (world.timer && world.timer.at <= world.now) world.timer.run();
  };
  return { world, session, issue, pass };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a session', () => {
  it('begins with the cookie, by one request', async () => {
    const { session, world } = browser();
    await session.restore();
    expect([session.state(), world.refreshes]).toEqual(['signed_in', 1]);
  });

  it('shows that an earlier session was refused until the person signs in', async () => {
    const { session, world, issue } = browser();
    world.cookie = undefined;
    await session.restore();
    expect([session.state(), session.wasRefused()]).toEqual(['signed_out', true]);
    world.cookie = 'priya';
    session.start(issue());
    session.end();
    expect(session.wasRefused()).toBe(false);
  });

  it('sends no request if the browser has never signed in', async () => {
    const { session, world } = browser({ isRemembered: false });
    await session.restore();
    expect([session.state(), world.refreshes]).toEqual(['signed_out', 0]);
  });

  it('shows that the service cannot be reached, and begins when the service answers', async () => {
    const { session, world, pass } = browser();
    world.failure = offline();
    const begun = session.restore();
    await settle();
    pass(500);
    await settle();
    pass(1_000);
    await begun;
    expect([session.state(), session.failure(), world.refreshes]).toEqual(['unreachable', offline(), 3]);
    world.failure = undefined;
    await session.restore();
    expect(session.state()).toBe('signed_in');
  });

  it.each([
    ['too many requests', new ApiError({ status: 429, code: 'rate_limit_exceeded' })],
    ['a problem of the service', new ApiError({ status: 503, code: 'service_unavailable' })],
  ])('begins after %s, with growing waits between the tries', async (_, failure) => {
    const { session, world, pass } = browser();
    world.failure = failure;
    const begun = session.restore();
    await settle();
    pass(499);
    await settle();
    expect([session.state(), world.refreshes]).toEqual(['starting', 1]);
    pass(1);
    await settle();
    pass(999);
    await settle();
    expect([session.state(), world.refreshes]).toEqual(['starting', 2]);
    world.failure = undefined;
    pass(1);
    await begun;
    expect([session.state(), world.refreshes]).toEqual(['signed_in', 3]);
  });

  it.each([
    ['a wait that the service demands', { status: 429, code: 'rate_limit_exceeded', retryAfter: 30 }],
    ['an answer that takes too long', { status: 0, code: 'timed_out' }],
  ])('shows %s at once', async (_, facts) => {
    const { session, world } = browser();
    world.failure = new ApiError(facts);
    await session.restore();
    expect([session.state(), session.failure()]).toEqual(['unreachable', world.failure]);
  });

  it('sends no further try after a sign-out in another tab', async () => {
    const { session, world, pass } = browser();
    world.failure = offline();
    const begun = session.restore();
    await settle();
    session.handleTabMessage('signed_out');
    pass(500);
    await begun;
    expect([session.state(), world.refreshes]).toEqual(['signed_out', 1]);
  });

  it('stays ended if the answer to a renewal arrives after the sign-out, here or in another tab', async () => {
    for (const end of ['end', 'hear'] as const) {
      const { session, pass } = browser();
      await session.restore();
      pass(599_000);
      const renewed = session.getToken();
      if (end === 'end') session.end();
      else session.handleTabMessage('signed_out');
      await expect(renewed).rejects.toMatchObject({ code: 'session_given_up' });
      await settle();
      expect([session.state(), session.wasRefused()]).toEqual(['signed_out', false]);
    }
  });

  it('sends no refresh if a request is refused after the sign-out, here or in another tab', async () => {
    for (const end of ['end', 'hear'] as const) {
      const { session, world } = browser();
      await session.restore();
      const token = await session.getToken();
      world.cookie = undefined;
      if (end === 'end') session.end();
      else session.handleTabMessage('signed_out');
      await expect(session.replaceToken(token)).rejects.toMatchObject({ code: 'session_given_up' });
      expect([session.state(), session.wasRefused(), world.refreshes]).toEqual(['signed_out', false, 1]);
    }
  });

  it('repeats no refused request of a former person with the token of the next one', async () => {
    const { session, world, issue } = browser();
    await session.restore();
    const token = await session.getToken();
    session.end();
    world.cookie = 'ravi';
    session.start(issue());
    await expect(session.replaceToken(token)).rejects.toMatchObject({ code: 'session_given_up' });
    expect([session.state(), world.refreshes]).toEqual(['signed_in', 1]);
  });

  it('renews the token a minute before it expires', async () => {
    const { session, world, pass } = browser();
    await session.restore();
    pass(539_000);
    expect(world.refreshes).toBe(1);
    pass(1_000);
    await settle();
    expect(world.refreshes).toBe(2);
  });

  it('does not renew in a hidden tab until the tab is visible again', async () => {
    const { session, world, pass } = browser();
    await session.restore();
    world.isVisible = false;
    pass(541_000);
    expect(world.refreshes).toBe(1);
    world.isVisible = true;
    session.handleVisible();
    await settle();
    expect(world.refreshes).toBe(2);
  });

  it('renews once for concurrent requests', async () => {
    const { session, world } = browser();
    await session.restore();
    world.now += 600_000;
    const tokens = await Promise.all([session.getToken(), session.getToken(), session.getToken()]);
    expect(new Set(tokens).size).toBe(1);
    expect(world.refreshes).toBe(2);
  });

  it('keeps the token if the renewal is not answered', async () => {
    const { session, world, pass } = browser();
    await session.restore();
    const token = await session.getToken();
    world.failure = offline();
    pass(545_000);
    await settle();
    expect(session.state()).toBe('signed_in');
    expect(await session.getToken()).toBe(token);
  });

  it('delays requests if it ends in use, and sends them after the person has entered the password', async () => {
    const { session, world, issue } = browser();
    await session.restore();
    const refused = await session.getToken();
    world.cookie = undefined;
    const waiting = [
      session.replaceToken(refused),
      session.replaceToken(refused),
      session.getToken().then(() => session.replaceToken(refused)),
    ];
    await settle();
    expect(session.state()).toBe('interrupted');
    expect(world.clears).toBe(0);
    world.cookie = 'priya';
    world.refreshes = 7;
    session.start(issue());
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([tokenOf('priya', 7)]));
    expect(session.state()).toBe('signed_in');
  });

  it('continues when another tab has signed in', async () => {
    const { session, world } = browser();
    await session.restore();
    world.cookie = undefined;
    const waiting = session.replaceToken(await session.getToken());
    await settle();
    world.cookie = 'priya';
    session.handleTabMessage('signed_in');
    await expect(waiting).resolves.toBe(tokenOf('priya', 3));
  });

  it('refuses the delayed requests and clears the data if the person cancels', async () => {
    const { session, world } = browser();
    await session.restore();
    world.cookie = undefined;
    const waiting = session.replaceToken(await session.getToken());
    await settle();
    session.end();
    await expect(waiting).rejects.toMatchObject({ code: 'session_given_up' });
    await expect(session.getToken()).rejects.toMatchObject({ code: 'session_given_up' });
    expect(world).toMatchObject({ clears: 1, sent: ['signed_out'], isRemembered: false });
  });

  it('ends when another tab signs out', async () => {
    const { session, world } = browser();
    await session.restore();
    session.handleTabMessage('signed_out');
    expect([session.state(), world.clears, world.sent]).toEqual(['signed_out', 1, []]);
  });

  it('restarts if the cookie now belongs to another person', async () => {
    const { session, world } = browser();
    await session.restore();
    world.cookie = 'asha';
    session.handleTabMessage('signed_in');
    await settle();
    expect(world).toMatchObject({ clears: 1, reloads: 1 });
  });
});

describe('a form of an interrupted session', () => {
  it('saves typed text exactly once, after the password was entered', async () => {
    const { session, world, issue } = browser();
    await session.restore();
    const accepted: string[] = [];
    const saved: unknown[] = [];
    const call = createClient(async (_, init) => {
      const token = new Headers(init.headers).get('authorization') ?? '';
      if (!accepted.includes(token)) return new Response('{"message":"Unauthorized"}', { status: 401 });
      saved.push(JSON.parse(String(init.body)));
      return Response.json({
        user_id: 'u1',
        email: 'p@example.com',
        name: 'Priya N',
        role: 'owner',
        created_at: '2026-01-01T00:00:00Z',
        phone: null,
        email_notices: true,
        org: {
          org_id: 'o',
          name: 'O',
          default_region: 'IN',
          available: 1,
          held: 0,
          rate: 1,
          least_rate: 1,
          most_rate: 1,
          is_suspended: false,
        },
        admins: [],
        stage: 'local',
      });
    }, session);

    world.cookie = undefined;
    const answer = call(updateMe, { body: { name: 'Priya N' } });
    await settle();
    expect([session.state(), saved]).toEqual(['interrupted', []]);

    world.cookie = 'priya';
    const renewed = issue();
    accepted.push(`Bearer ${renewed.access_token}-2`);
    session.start({ ...renewed, access_token: `${renewed.access_token}-2` });
    await expect(answer).resolves.toMatchObject({ name: 'Priya N' });
    expect(saved).toEqual([{ name: 'Priya N' }]);
  });
});
