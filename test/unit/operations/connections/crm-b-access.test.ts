import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { CrmBAccess } from '../../../../shared/integrations/crm-b/api.ts';
import type { TokenOutcome } from '../../../../shared/integrations/zoho-accounts/accounts.ts';
import type { AccessTokenProviderDeps } from '../../../../shared/operations/connections/access/connection-access.ts';
import { crmBAccess } from '../../../../shared/operations/connections/access/connection-access.ts';
import { readOnlyAccess } from '../../../../shared/operations/connections/access/read-only-access.ts';
import { connectionWorld } from '../../support/worlds/connection-world.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const at = (seconds: number) => secondsAfter(START, seconds);

const connected = aConnection({
  grant: aGrant({ granted_at: at(0) }),
  access: { version: 1, token: 'conn_1:access-1', expires_at: at(3600) },
});

const newerAccess = { version: 2, token: 'conn_1:access-2', expires_at: at(9000) };
/** A connection whose token another worker refreshes. */
const leased = { ...connected, access: undefined, refresh_lease: { holder: 'another', until: at(30) } };

/** A connection, and an accounts server whose answers the test controls. Waits advance the clock. */
function service(initial: Connection = connected, at0 = 0) {
  const state = { seconds: at0, slept: 0, asked: 0, made: 1 };
  const world = connectionWorld(initial);
  let answer: () => Promise<TokenOutcome> = async () => {
    state.made += 1;
    return { kind: 'granted', accessToken: `access-${state.made}`, expiresInSeconds: 3600 };
  };
  const requests: { server: string; id: string; token: string }[] = [];
  const deps: AccessTokenProviderDeps = {
    ...world.common,
    accounts: {
      refresh: async (server, { client_id: id }, token) => {
        state.asked += 1;
        requests.push({ server, id, token });
        return answer();
      },
    },
    clientOf: async (dataCenter) => ({ client_id: `client-${dataCenter}`, client_secret: 's' }),
    now: () => new Date(at(state.seconds)),
    sleep: async (milliseconds) => {
      state.slept += milliseconds;
      state.seconds += milliseconds / 1000;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return {
    state,
    deps,
    requests,
    table: world.table,
    counted: world.counted,
    grant: world.grant,
    answering: (outcome: TokenOutcome) => {
      answer = async () => outcome;
    },
    /** Delays the answers from now on. @returns a function that sends them */
    delaying: () => {
      const { promise, resolve } = Promise.withResolvers<TokenOutcome>();
      answer = () => promise;
      return resolve;
    },
    access: (connection = world.table.connection as Connection) => shown(crmBAccess(deps)(connection)),
  };
}

/** @returns an access whose `token` resolves to the token, or to the kind and the reason of the result without one */
const shown = (access: CrmBAccess) => ({
  token: async (rejected?: string) => {
    const result = await access.token(rejected);
    return result.kind === 'token' ? result.token : `${result.kind}: ${result.reason}`;
  },
  apiDomain: () => access.apiDomain,
});

const refused = (error: string): TokenOutcome => ({ kind: 'refused', error });
const lost = { kind: 'unavailable', isSent: true, reason: 'x' } as const;
const granted = (accessToken: string): TokenOutcome => ({ kind: 'granted', accessToken, expiresInSeconds: 3600 });
const TOO_OFTEN = 'unavailable: the access token was refreshed too often in ten minutes';
const ELSEWHERE = 'unavailable: another request refreshes the access token';
const THROTTLED = 'unavailable: the accounts server throttles requests';
const NO_TOKEN = 'unavailable: the accounts server gave no token: x';
const REVOKED = 'reconnect_needed: the grant is no longer valid (invalid_code): connect again';
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('an access token', () => {
  it('is used until five minutes before it expires, and refreshed after that', async () => {
    const before = service(connected, 3299.999);
    expect(await before.access().token()).toBe('access-1');
    expect(before.state.asked).toBe(0);

    const from = service(connected, 3300);
    const access = from.access();
    expect(await access.token()).toBe('access-2');
    expect(from.requests).toEqual([{ server: 'https://accounts.zoho.in', id: 'client-in', token: 'refresh-1' }]);
    expect(from.table.connection).toEqual({
      ...connected,
      access: { version: 2, token: 'conn_1:access-2', expires_at: at(3300 + 3600) },
      refreshes: [at(3300)],
    });
    expect(await access.token()).toBe('access-2');
    expect(from.state.asked).toBe(1);
    expect(access.apiDomain()).toBe('https://www.zohoapis.in');
  });

  it('is refreshed once for twenty concurrent workers, and the others use the current one', async () => {
    const { access, state, delaying } = service(connected, 3300);
    const answer = delaying();
    const all = Array.from({ length: 20 }, () => access().token());
    await soon();
    answer(granted('access-2'));
    expect((await Promise.all(all)).sort()).toEqual([...Array(19).fill('access-1'), 'access-2']);
    expect(state).toMatchObject({ asked: 1, slept: 0 });
  });

  it.each<[string, number, string | undefined]>([
    ['after its end', 3600, undefined],
    ['after the CRM has refused it', 0, 'access-1'],
  ])('is refreshed once for twenty workers %s, and all wait for the new one', async (_, seconds, rejected) => {
    const { access, state, delaying, table } = service(connected, seconds);
    const answer = delaying();
    const all = Array.from({ length: 20 }, () => access(connected).token(rejected));
    setImmediate(() => answer(granted('access-2')));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['access-2']));
    expect(state.asked).toBe(1);
    expect(table.connection?.access?.version).toBe(2);
  });

  it('is waited for at most three seconds', async () => {
    const { access, state } = service(leased);
    expect(await access().token()).toBe(ELSEWHERE);
    expect(state).toMatchObject({ asked: 0, slept: 3000 });
  });

  it('is refreshed by the next worker after the lease of a dead worker', async () => {
    expect(await service(leased, 26).access().token()).toBe(ELSEWHERE);
    const due = service(leased, 30);
    expect(await due.access().token()).toBe('access-2');
    expect(due.table.connection).not.toHaveProperty('refresh_lease');
  });

  it.each<[string, Partial<Connection>, Partial<Connection>, string]>([
    ['another token', {}, { access: newerAccess }, 'access-2'],
    [
      'a mark of its end',
      { access: undefined },
      { reconnect_needed: { at: at(0), reason: 'x' } },
      'reconnect_needed: x',
    ],
    ['its first refreshes', {}, { refreshes: Array(5).fill(at(3500)) }, TOO_OFTEN],
    ['more refreshes', { refreshes: [at(3400)] }, { refreshes: Array(5).fill(at(3500)) }, TOO_OFTEN],
  ])('is not refreshed if the connection got %s since it was read', async (_, read, changed, expected) => {
    const { access, state } = service({ ...connected, ...read, ...changed }, 3600);
    expect(await access({ ...connected, ...read }).token()).toBe(expected);
    expect(state.asked).toBe(0);
  });

  it('of a worker that exceeded its lease does not replace a newer one, and the worker uses the newer one', async () => {
    const { access, state, answering, delaying, table } = service(connected, 3600);
    const answer = delaying();
    const first = access().token();
    await soon();
    state.seconds += 31;
    answering(granted('access-of-the-second'));
    expect(await access().token()).toBe('access-of-the-second');
    answer(granted('access-of-the-first'));
    expect(await first).toBe('access-of-the-second');
    expect(table.connection?.access).toMatchObject({ version: 2, token: 'conn_1:access-of-the-second' });
  });

  it('is not delayed by the failed refresh of a worker that exceeded its lease', async () => {
    const { access, state, delaying } = service(connected, 3600);
    const answerFirst = delaying();
    const first = access().token();
    await soon();
    state.seconds += 31;
    const answerSecond = delaying();
    const second = access().token();
    await soon();
    answerFirst({ kind: 'throttled' });
    expect(await first).toBe(THROTTLED);
    answerSecond(granted('access-2'));
    expect(await second).toBe('access-2');
  });

  it('that the CRM has refused is replaced by a newer stored one without a refresh', async () => {
    const { access, state } = service({ ...connected, access: newerAccess });
    expect(await access(connected).token('access-1')).toBe('access-2');
    expect(state.asked).toBe(0);
  });
});

describe('an access that only reads', () => {
  it.each<[string, Partial<Connection>, number]>([
    ['access-1', {}, 3000],
    ['unavailable: its access token is being renewed', {}, 3600],
    ['reconnect_needed: x', { reconnect_needed: { at: at(0), reason: 'x' } }, 0],
    ['reconnect_needed: the connection is not connected', { grant: undefined }, 0],
  ])('uses the stored token only: %s', async (token, change, seconds) => {
    const { deps, state } = service({ ...connected, ...change }, seconds);
    expect(await shown(readOnlyAccess(deps)({ ...connected, ...change })).token()).toBe(token);
    expect(state.asked).toBe(0);
  });
});

describe('refreshes of a grant', () => {
  it('are limited to five in ten minutes', async () => {
    const { access, state } = service();
    for (let made = 1; made <= 5; made += 1) {
      expect(await access().token(`access-${made}`)).toBe(`access-${made + 1}`);
      state.seconds += 10;
    }
    expect(await access().token('access-6')).toBe(TOO_OFTEN);
    // A worker whose token was not refused still uses the current one.
    expect(await access().token()).toBe('access-6');
    state.seconds = 599.999;
    expect(await access().token('access-6')).toBe(TOO_OFTEN);
    state.seconds = 600;
    expect(await access().token('access-6')).toBe('access-7');
    expect(state.asked).toBe(6);
  });

  it.each<[string, TokenOutcome, string, string[], number]>([
    ['whose answers are lost count, and are repeated after five seconds', lost, NO_TOKEN, [at(3600)], 5],
    ['that are not sent do not count', { ...lost, isSent: false }, NO_TOKEN, [], 5],
    ['that are throttled are repeated after a minute', { kind: 'throttled' }, THROTTLED, [at(3600)], 60],
    ['wait as long as the server demands', { kind: 'throttled', retryAfterSeconds: 300 }, THROTTLED, [at(3600)], 300],
    ['wait for 15 minutes at most', { ...lost, retryAfterSeconds: 86_400 }, NO_TOKEN, [at(3600)], 900],
  ])('%s', async (_, outcome, reason, counted, pause) => {
    const { access, state, answering, table } = service(connected, 3600);
    answering(outcome);
    expect(await access().token()).toBe(reason);
    expect(table.connection?.refreshes).toEqual(counted);
    answering(granted('access-2'));
    // Minus the three seconds that a worker waits.
    state.seconds = 3600 + pause - 4;
    expect(await access().token()).toBe(ELSEWHERE);
    expect(state.asked).toBe(1);
    state.seconds = 3600 + pause;
    expect(await access().token()).toBe('access-2');
  });

  it('pause after a time-out, however long it took', async () => {
    const { access, state, delaying, answering } = service(connected, 3600);
    const answer = delaying();
    const first = access().token();
    await soon();
    state.seconds = 3610;
    answer(lost);
    expect(await first).toBe(NO_TOKEN);
    answering(granted('access-2'));
    state.seconds = 3611;
    expect([await access().token(), state.asked]).toEqual([ELSEWHERE, 1]);
    state.seconds = 3615;
    expect(await access().token()).toBe('access-2');
  });

  it.each<[TokenOutcome, reason: string]>([
    [{ kind: 'throttled' }, THROTTLED],
    [lost, NO_TOKEN],
    [{ kind: 'garbage', reason: 'x' }, NO_TOKEN],
    [refused('invalid_client'), 'unavailable: the accounts server refused the refresh: invalid_client'],
    [refused('general_error'), 'unavailable: the accounts server refused the refresh: general_error'],
  ])('that fail need no new consent, and the current token is used while it is valid: %j', async (outcome, reason) => {
    const { access, answering, state, table } = service(connected, 3300);
    answering(outcome);
    expect(await access().token()).toBe('access-1');
    state.seconds = 3600;
    expect(await access().token()).toBe(reason);
    expect(table.connection).not.toHaveProperty('reconnect_needed');
  });

  it('are not requested without a client for the data center', async () => {
    const { access, deps, table, state } = service(connected, 3600);
    deps.clientOf = async () => undefined;
    expect(await access().token()).toBe('unavailable: no client is set for the data center in');
    expect(state.asked).toBe(0);
    expect(table.connection).toEqual(connected);
  });
});

describe('a revoked grant', () => {
  it('marks the connection as unusable, and is not refreshed again', async () => {
    const { access, answering, state, table, counted } = service(connected, 3300);
    answering(refused('invalid_code'));
    expect(await access().token()).toBe(REVOKED);
    expect(table.connection).toEqual({
      ...connected,
      access: undefined,
      reconnect_needed: { at: at(3300), reason: expect.stringContaining('invalid_code') },
      // No channel is armed, so the next consent catches up on the leads that have changed since this one.
      catch_up_from: at(0),
      refreshes: [at(3300)],
    });
    expect(await access().token()).toBe(REVOKED);
    expect(state.asked).toBe(1);
    expect(counted).toEqual(['GrantGone']);
  });

  it('opens a gap from the last delivery, because the channel may have been silent since', async () => {
    const channel = { id: '1', armed_at: at(-600), expires_at: at(9_000) };
    const { access, answering, table } = service({ ...connected, channel, last_delivery_at: at(1_000) }, 3300);
    answering(refused('invalid_code'));
    await access().token();
    expect(table.connection?.catch_up_from).toBe(at(1_000 - 15 * 60));
  });

  it('fails the workers that wait for its refresh', async () => {
    const { access, delaying, state } = service(connected, 3600);
    const answer = delaying();
    const all = Array.from({ length: 5 }, () => access().token());
    setImmediate(() => answer(refused('invalid_code')));
    expect(await Promise.all(all)).toEqual(Array(5).fill(REVOKED));
    expect(state.asked).toBe(1);
  });

  it('causes no further request, like a connection without a grant', async () => {
    const marked = { reconnect_needed: { at: at(0), reason: 'x' } };
    for (const [change, reason] of [
      [{ grant: undefined }, 'the connection is not connected'],
      [marked, 'x'],
    ] as const) {
      const { access, state } = service({ ...connected, ...change });
      expect(await access().token()).toBe(`reconnect_needed: ${reason}`);
      expect(state).toMatchObject({ asked: 0, slept: 0 });
    }
  });

  it('counts as revoked if the connection is deleted', async () => {
    const { access, table } = service();
    table.connection = undefined;
    expect(await access(connected).token('access-1')).toBe('reconnect_needed: the connection is gone');
  });
});

describe('a new grant', () => {
  const second = aGrant({ id: 'grant-2', api_domain: 'https://www.zohoapis.eu', refresh_token: 'conn_1:refresh-2' });
  const access2 = { version: 1, token: 'conn_1:access-of-grant-2', expires_at: at(9000) };

  it.each([
    ['a token', granted('access-2')],
    ['that the old one is gone', refused('invalid_code')],
  ])('is not changed by a late refresh of the old one: %s', async (_what, late) => {
    const { access, delaying, state, table, grant, counted } = service(connected, 3600);
    const answer = delaying();
    const asking = access();
    const token = asking.token();
    await soon();
    await grant(second, access2);
    answer(late);
    expect(await token).toBe('access-of-grant-2');
    expect(counted).toEqual([]);
    expect(asking.apiDomain()).toBe('https://www.zohoapis.eu');
    expect(table.connection).toEqual({ ...connected, grant: second, access: access2 });
    expect(state.asked).toBe(1);
  });

  it('is used with its own domain after a token of the old grant was refused', async () => {
    const { access, state, grant } = service();
    const asking = access();
    expect([await asking.token(), asking.apiDomain()]).toEqual(['access-1', 'https://www.zohoapis.in']);
    await grant(second, access2);
    expect(await asking.token('access-1')).toBe('access-of-grant-2');
    expect([asking.apiDomain(), state.asked]).toEqual(['https://www.zohoapis.eu', 0]);
  });

  it('starts with a refresh count of zero', async () => {
    const { access, grant } = service({ ...connected, refreshes: [0, 1, 2, 3, 4].map(at) }, 10);
    expect(await access().token('access-1')).toBe(TOO_OFTEN);
    await grant(second, access2);
    expect(await access().token('access-of-grant-2')).toBe('access-2');
  });
});
