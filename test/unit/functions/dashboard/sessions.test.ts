import {
  InvalidParameterException,
  NotAuthorizedException,
  TooManyRequestsException,
  UnsupportedTokenTypeException,
} from '@aws-sdk/client-cognito-identity-provider';
import { DASHBOARD_URL, restoreClients } from '../../support/dashboard/handlers.ts';
import { anOffice, namesOf } from '../../support/dashboard/office.ts';

afterAll(restoreClients);
afterEach(() => jest.restoreAllMocks());

/** Attempts are counted in clock minutes, and none ends within a test on a busy machine. */
const stopClock = () => jest.spyOn(Date, 'now').mockReturnValue(Date.now());

describe('a session', () => {
  const everywhere = { query: { everywhere: 'true' }, cookies: ['dashboard_session=t'], body: {} };

  it.each(namesOf(({ role }) => role === 'none'))(
    'is not changed by a request from another origin: %s',
    async (name) => {
      const world = anOffice();
      const host = DASHBOARD_URL.slice('https://'.length);
      const origins = [
        'null',
        `http://${host}`,
        `${DASHBOARD_URL}.evil.example`,
        `${DASHBOARD_URL}:444`,
        `${DASHBOARD_URL}/`,
      ];
      const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
      const headers: Record<string, string>[] = [
        ...origins.map((origin) => ({ origin })),
        { origin: 'https://evil.example', ...forged },
        { origin: 'https://evil.example', 'x-dashboard': '1, 1' },
        { 'x-dashboard': 'true' },
      ];
      for (const each of headers) {
        const { status, cookies } = await world.ask(name, {
          body: {},
          headers: each,
          cookies: ['dashboard_session=t'],
        });
        expect([status, cookies]).toEqual([403, []]);
      }
      expect(world.asked).toEqual([]);
    },
  );

  it('continues if the user pool is too busy to end it everywhere, and the answer says so', async () => {
    for (const command of ['AdminInitiateAuth', 'GlobalSignOut', 'RevokeToken']) {
      const world = anOffice({
        [command]: () => {
          throw new TooManyRequestsException({ $metadata: {}, message: 'busy' });
        },
      });
      const { status, cookies } = await world.ask('sign-out', everywhere);
      expect([command, status, cookies]).toEqual([command, 503, []]);
    }
  });

  it('ends with a cookie that contains no token', async () => {
    const world = anOffice();
    const cookies = ['dashboard_session=a b'];
    expect((await world.ask('sign-out', { cookies, body: {} })).status).toBe(204);
    expect((await world.ask('refresh-session', { cookies, body: {} })).status).toBe(401);
    expect(world.asked).toEqual([]);
  });

  it('begins for other people while a stranger guesses one person’s password', async () => {
    stopClock();
    const world = anOffice();
    const guess = (email: string) => world.ask('sign-in', { body: { email, password: 'a guess' } });
    for (let attempt = 0; attempt < 400; attempt += 1) await guess('victim@example.com');
    expect((await guess('victim@example.com')).status).toBe(429);
    expect((await guess('other@example.com')).status).toBe(200);
  });

  it('begins for at most 300 people of the stage in a minute', async () => {
    stopClock();
    const world = anOffice();
    const statuses: number[] = [];
    for (let person = 0; person < 302; person += 1) {
      const body = { email: `p${person}@example.com`, password: 'a guess' };
      statuses.push((await world.ask('sign-in', { body })).status);
    }
    expect(statuses).toEqual([...Array(300).fill(200), 429, 429]);
  });
});

describe('what a stranger sends to a form of the session', () => {
  const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.example.com`;
  const new_password = 'a long new password';

  it('never reaches the user pool if it is longer than the user pool accepts, which would be answered with 500', async () => {
    const world = anOffice();
    const forms: [Parameters<typeof world.ask>[0], object][] = [
      ['sign-in', { email: long, password: 'a password' }],
      ['sign-in', { email: 'priya@example.com', new_password, challenge_session: 's'.repeat(2_049) }],
      ['request-password-reset', { email: long }],
      ['reset-password', { email: long, code: '123456', new_password }],
      ['invite-member', { email: long, name: 'A', role: 'viewer' }],
    ];
    const statuses: number[] = [];
    for (const [name, body] of forms) statuses.push((await world.ask(name, { body })).status);
    expect(statuses).toEqual([401, 400, 202, 400, 400]);
    expect(world.asked).toEqual([]);
  });
});

describe('a made-up token', () => {
  const thrown = (error: Error) => () => {
    throw error;
  };
  const made = { $metadata: {}, message: 'made up' };

  it.each([new UnsupportedTokenTypeException(made), new InvalidParameterException(made)])(
    'of a session has ended, also if the user pool cannot read it: $name',
    async (error) => {
      const world = anOffice({ RevokeToken: thrown(error) });
      const asked = await world.ask('sign-out', { cookies: ['dashboard_session=a'], body: {} });
      expect(asked.status).toBe(204);
    },
  );

  it('of a first password is wrong, also if the user pool cannot read it', async () => {
    const world = anOffice({ AdminRespondToAuthChallenge: thrown(new InvalidParameterException(made)) });
    const body = { email: 'priya@example.com', new_password: 'a long new password', challenge_session: 's'.repeat(20) };
    expect((await world.ask('sign-in', { body })).status).toBe(401);
  });
});

describe('a new password', () => {
  const code = { email: 'priya@example.com', code: '123456', new_password: 'a long new password' };
  const change = { password: 'the old password', new_password: 'a long new password' };
  const busy = () => {
    throw new TooManyRequestsException({ $metadata: {}, message: 'busy' });
  };

  it('ends the sessions of the former one, which a stranger may have known', async () => {
    const world = anOffice();
    expect((await world.ask('change-password', { body: change })).status).toBe(204);
    expect((await world.ask('reset-password', { body: code })).status).toBe(204);
    expect(world.asked).toEqual(['ChangePassword', 'GlobalSignOut', 'ConfirmForgotPassword', 'AdminUserGlobalSignOut']);
  });

  it.each([
    ['change-password', change, 'GlobalSignOut'],
    ['reset-password', code, 'AdminUserGlobalSignOut'],
  ] as const)('is set even if the user pool is too busy to end sessions, which is tried: %s', async (...given) => {
    const [name, body, command] = given;
    const world = anOffice({ [command]: busy });
    expect((await world.ask(name, { body })).status).toBe(204);
    expect(world.asked.filter((asked) => asked === command).length).toBeGreaterThanOrEqual(3);
  });

  it('that is refused ends no session', async () => {
    const refuse = () => {
      throw new NotAuthorizedException({ $metadata: {}, message: 'wrong' });
    };
    const world = anOffice({ ChangePassword: refuse, ConfirmForgotPassword: refuse });
    expect((await world.ask('change-password', { body: change })).status).toBe(400);
    expect((await world.ask('reset-password', { body: code })).status).toBe(400);
    expect(world.asked).toEqual(['ChangePassword', 'ConfirmForgotPassword']);
  });
});

describe('a password that the user pool would not accept', () => {
  const change = (password: string, new_password: string) => {
    const world = anOffice();
    return world.ask('change-password', { body: { password, new_password } }).then((answer) => [answer, world.asked]);
  };

  it.each([' a long new password', 'a long new password\n', 'a long\nnew password'])('is weak: %j', async (text) => {
    expect(await change('the old password', text)).toMatchObject([
      { status: 400, body: { error: 'weak_password' } },
      [],
    ]);
  });

  it('must differ from the present one', async () => {
    const fields = [{ path: 'password' }];
    expect(await change('x', 'a long new password')).toMatchObject([{ status: 400, body: { fields } }, []]);
  });
});
