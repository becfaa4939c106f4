import { showMe } from '../../../shared/messages/dashboard/people.ts';
import {
  changePassword,
  refreshSession,
  requestPasswordReset,
  resetPassword,
  signIn,
  signOut,
} from '../../../shared/messages/dashboard/session.ts';
import { aBrowser, aMember, anInvitedPerson, ask, type Person } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { environment, eventually, passTime } from '../../support/stack/stack.ts';

const NEW_PASSWORD = 'a long new password';
/** The emulator mails every reset the same code. */
const CODE = '654321';

const credentials = ({ email, password }: Person) => ({ email, password });

async function aSession(person: Person) {
  const browser = aBrowser();
  const { body } = await browser.ask(signIn, credentials(person));
  return { browser, token: String(body.access_token) };
}

const meWith = async (token: string) => (await ask(showMe, { token })).status;

describe('sign-in', () => {
  it('returns an access token, and stores the refresh token in a cookie of the session routes only', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const browser = aBrowser();
    const { status, body, headers } = await browser.ask(signIn, {
      ...credentials(person),
      email: person.email.toUpperCase(),
    });
    expect([status, body]).toEqual([200, { access_token: expect.any(String), expires_in: 600 }]);
    expect(headers.get('cache-control')).toBe('no-store');
    const [cookie = ''] = browser.cookies;
    expect(cookie).toMatch(
      /^dashboard_session=[\w.-]+; Path=\/api\/dashboard\/session; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    expect(JSON.stringify(body)).not.toContain(/=([^;]+)/.exec(cookie)?.[1]);
    expect(await meWith(String(body.access_token))).toBe(200);
  });

  it('answers a wrong password and an unknown address alike, in status, text and cookies', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const wrong = [
      { ...credentials(person), password: 'wrong password 1' },
      { email: 'nobody-at-all@example.com', password: person.password },
      { email: 'no address', password: person.password },
    ];
    const answers = await Promise.all(wrong.map((body) => aBrowser().ask(signIn, body)));
    const shown = answers.map(({ status, body, headers }) => [status, JSON.stringify(body), headers.getSetCookie()]);
    const message = 'The e-mail address or the password is wrong.';
    expect(shown).toEqual(Array(3).fill([401, JSON.stringify({ error: 'wrong_credentials', message }), []]));
  });

  it('lets an invited person choose a password, which is then valid', async () => {
    const person = await anInvitedPerson(await anOrg(), 'member');
    const browser = aBrowser();
    const { body: challenge } = await browser.ask(signIn, credentials(person));
    expect(challenge).toEqual({ challenge: 'new_password', challenge_session: expect.any(String) });
    const { challenge_session } = challenge;
    const answerWith = (new_password: string) =>
      browser.ask(signIn, { email: person.email, new_password, challenge_session });
    expect(await answerWith('short')).toMatchObject({ status: 400, body: { error: 'weak_password' } });
    const { status, body } = await answerWith(NEW_PASSWORD);
    expect([status, await meWith(String(body.access_token))]).toEqual([200, 200]);
    const old = await aBrowser().ask(signIn, credentials(person));
    const own = await aBrowser().ask(signIn, { email: person.email, password: NEW_PASSWORD });
    expect([old.status, own.status]).toEqual([401, 200]);
  });

  it('slows down guessing per address, without affecting others', async () => {
    const org = await anOrg();
    const [person, other] = [await aMember(org, 'viewer'), await aMember(org, 'viewer')];
    const guess = () => aBrowser().ask(signIn, { email: person.email, password: 'a wrong password' });
    // A minute may end in between: the requests after the refusal need the rest of their limit.
    const last = await eventually(
      guess,
      ({ status, headers }) => status === 429 && Number(headers.get('retry-after')) > 10,
    );
    expect(last.body).toMatchObject({ error: 'rate_limit_exceeded' });
    expect((await aBrowser().ask(signIn, credentials(person))).status).toBe(429);
    expect((await aBrowser().ask(signIn, credentials(other))).status).toBe(200);
  });
});

describe.each([
  ['sign-in', signIn],
  ['refresh-session', refreshSession],
  ['sign-out', signOut],
  ['request-password-reset', requestPasswordReset],
  ['reset-password', resetPassword],
])('%s', (_name, route) => {
  it.each<[string, Record<string, string>]>([
    ['of another site', { origin: 'https://evil.example' }],
    // The local cloud refuses pages of other hosts before their requests reach the function.
    ['of the same machine', { origin: environment.base_url.replace('127.0.0.1', 'localhost') }],
    ['without an origin', { origin: '' }],
    ['that a form can send', { 'x-dashboard': '' }],
  ])('refuses a request %s', async (_what, headers) => {
    const { status, body, headers: answered } = await aBrowser().ask(route, {}, { headers });
    expect([status, body.error, answered.getSetCookie()]).toEqual([403, 'foreign_origin', []]);
  });
});

describe('refresh-session', () => {
  it('renews the session of the cookie, even after the access token has expired', async () => {
    const { browser, token } = await aSession(await aMember(await anOrg(), 'viewer'));
    await passTime(601);
    expect(await meWith(token)).toBe(401);
    const { status, body } = await browser.ask(refreshSession);
    expect([status, await meWith(String(body.access_token))]).toEqual([200, 200]);
  });

  it('refuses a request without a session', async () => {
    expect(await aBrowser().ask(refreshSession)).toMatchObject({ status: 401, body: { error: 'no_session' } });
    const forged = await aBrowser().ask(refreshSession, {}, { headers: { cookie: 'dashboard_session=x.y.z' } });
    expect(forged).toMatchObject({ status: 401, body: { error: 'no_session' } });
  });
});

describe('sign-out', () => {
  it('ends only the session of this browser', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const [here, there] = [await aSession(person), await aSession(person)];
    const { status } = await here.browser.ask(signOut);
    expect([status, here.browser.cookies.at(-1)]).toEqual([
      204,
      expect.stringMatching(/^dashboard_session=; .*Max-Age=0/),
    ]);
    expect((await here.browser.ask(refreshSession)).status).toBe(401);
    expect((await there.browser.ask(refreshSession)).status).toBe(200);
  });

  it('everywhere ends all sessions and their access tokens, and is in the audit log', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const [here, there] = [await aSession(person), await aSession(person)];
    expect((await here.browser.ask(signOut, {}, { query: '?everywhere=true' })).status).toBe(204);
    const refused = await Promise.all([here, there].map(({ token }) => ask(showMe, { token })));
    expect(refused).toMatchObject(Array(2).fill({ status: 401, body: { error: 'session_ended' } }));
    expect((await there.browser.ask(refreshSession)).status).toBe(401);
    await passTime(2);
    expect(await meWith((await aSession(person)).token)).toBe(200);
    const { items } = await stores.audit.page(person.org.orgId, { limit: 10 });
    expect(items.map(({ action }) => action)).toContain('member.signed_out_everywhere');
  });

  it('everywhere is refused without a session, because the others would stay', async () => {
    expect((await aBrowser().ask(signOut)).status).toBe(204);
    const refused = { status: 401, body: { error: 'no_session' } };
    expect(await aBrowser().ask(signOut, {}, { query: '?everywhere=true' })).toMatchObject(refused);
    const { browser } = await aSession(await aMember(await anOrg(), 'viewer'));
    await browser.ask(signOut);
    expect(await browser.ask(signOut, {}, { query: '?everywhere=true' })).toMatchObject(refused);
  });
});

describe('request-password-reset and reset-password', () => {
  it('set a new password with a mailed code, and end the sessions that began with the old one', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const { email } = person;
    expect((await aBrowser().ask(requestPasswordReset, { email })).status).toBe(202);
    const reset = (code: string, new_password: string) => aBrowser().ask(resetPassword, { email, code, new_password });
    expect(await reset('111111', NEW_PASSWORD)).toMatchObject({ status: 400, body: { error: 'wrong_code' } });
    expect(await reset(CODE, 'short')).toMatchObject({ status: 400, body: { error: 'weak_password' } });
    const { browser } = await aSession(person);
    expect((await reset(` ${CODE} `, NEW_PASSWORD)).status).toBe(204);
    expect((await browser.ask(refreshSession)).status).toBe(401);
    expect((await aBrowser().ask(signIn, { email, password: NEW_PASSWORD })).status).toBe(200);
  });

  it('answer for an unknown address as for a known one', async () => {
    const { email } = await aMember(await anOrg(), 'viewer');
    for (const address of [email, 'unknown-person@example.com', 'no address']) {
      const asked = await aBrowser().ask(requestPasswordReset, { email: address });
      const wrong = { email: address, code: '111111', new_password: NEW_PASSWORD };
      const refused = await aBrowser().ask(resetPassword, wrong);
      expect([asked.status, asked.body, refused.status, refused.body.error]).toEqual([202, {}, 400, 'wrong_code']);
    }
  });
});

describe('change-password', () => {
  it('requires the current password, and ends the sessions that began with it', async () => {
    const person = await aMember(await anOrg(), 'viewer');
    const { browser, token } = await aSession(person);
    const change = (password: string, new_password: string) =>
      ask(changePassword, { token, body: { password, new_password } });
    const wrong = await change('not the password', NEW_PASSWORD);
    expect([wrong.status, wrong.body.fields]).toMatchObject([400, [{ path: 'password' }]]);
    expect(await change(person.password, 'short')).toMatchObject({ status: 400, body: { error: 'weak_password' } });
    expect((await browser.ask(refreshSession)).status).toBe(200);
    expect((await change(person.password, NEW_PASSWORD)).status).toBe(204);
    expect((await browser.ask(refreshSession)).status).toBe(401);
    expect((await aBrowser().ask(signIn, { email: person.email, password: NEW_PASSWORD })).status).toBe(200);
  });
});
