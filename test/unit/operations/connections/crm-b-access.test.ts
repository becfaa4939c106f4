import { describe, expect, it } from '@jest/globals';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { CrmBAccess } from '../../../../shared/integrations/crm-b/api.ts';
import type { TokenOutcome } from '../../../../shared/integrations/zoho-accounts/accounts.ts';
import { crmBAccess } from '../../../../shared/operations/connections/access/crm-b-access.ts';
import { connectionWorld } from '../../support/connection-world.ts';
import { aConnection, aGrant } from '../../support/items.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const SERVER = 'https://accounts.zoho.in';

const connected = aConnection({
  grant: aGrant({ granted_at: at(0) }),
  access: { version: 1, token: 'conn_1:access-1', expires_at: at(3600) },
});

const without = (connection: Connection, ...attributes: (keyof Connection)[]): Connection => {
  const copy = { ...connection };
  for (const attribute of attributes) delete copy[attribute];
  return copy;
};

/** A connection, and an accounts server whose answers the test controls. Waits advance the clock. */
function service(initial: Connection = connected, at0 = 0) {
  const state = { seconds: at0, slept: 0, asked: 0, made: 1 };
  const world = connectionWorld(initial);
  let answer: () => Promise<TokenOutcome> = async () => {
    state.made += 1;
    return { kind: 'granted', accessToken: `access-${state.made}`, expiresInSeconds: 3600 };
  };
  const requests: { server: string; id: string; token: string }[] = [];
  const deps = {
    ...world.common,
    accounts: {
      refresh: async (server: string, client: { client_id: string }, token: string) => {
        state.asked += 1;
        requests.push({ server, id: client.client_id, token });
        return answer();
      },
    },
    clientOf: async (dataCenter: string): Promise<{ client_id: string; client_secret: string } | undefined> => ({
      client_id: `client-${dataCenter}`,
      client_secret: 's',
    }),
    now: () => new Date(START + state.seconds * 1000),
    sleep: async (milliseconds: number) => {
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
    grants: world.stores.grants,
    answering: (next: () => Promise<TokenOutcome>) => {
      answer = next;
    },
    access: (connection = world.table.connection as Connection) => shown(crmBAccess(deps)(connection)),
  };
}

/** @returns an access whose `token` resolves to the token, or to the kind of the result without one */
const shown = (access: CrmBAccess) => ({
  token: async (rejected?: string) => {
    const result = await access.token(rejected);
    return result.kind === 'token' ? result.token : result.kind;
  },
  apiDomain: () => access.apiDomain,
});

const refused = (error: string): TokenOutcome => ({ kind: 'refused', error });
const granted = (accessToken: string): TokenOutcome => ({ kind: 'granted', accessToken, expiresInSeconds: 3600 });

/** @returns a promise and its settling function */
function held<Value>() {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('an access token', () => {
  it('is used until five minutes before its end, and refreshed from then on', async () => {
    const before = service(connected, 3299.999);
    expect(await before.access().token()).toBe('access-1');
    expect(before.state.asked).toBe(0);

    const from = service(connected, 3300);
    const access = from.access();
    expect(await access.token()).toBe('access-2');
    expect(from.requests).toEqual([{ server: SERVER, id: 'client-in', token: 'refresh-1' }]);
    expect(from.table.connection).toEqual({
      ...connected,
      access: { version: 2, token: 'conn_1:access-2', expires_at: at(3300 + 3600) },
      refreshes: [at(3300)],
    });
    expect(await access.token()).toBe('access-2');
    expect(from.state.asked).toBe(1);
    expect(access.apiDomain()).toBe('https://www.zohoapis.in');
  });

  it('is refreshed once for twenty workers at the same moment; the others use the current one', async () => {
    const { access, state, answering } = service(connected, 3300);
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const all = Array.from({ length: 20 }, () => access().token());
    await soon();
    answer.settle(granted('access-2'));
    const tokens = await Promise.all(all);
    expect(tokens.filter((token) => token === 'access-2')).toHaveLength(1);
    expect(tokens.filter((token) => token === 'access-1')).toHaveLength(19);
    expect(state).toMatchObject({ asked: 1, slept: 0 });
  });

  it('is refreshed once for twenty workers after its end, and all of them wait for the new one', async () => {
    const { access, state, answering, table } = service(connected, 3600);
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const all = Array.from({ length: 20 }, () => access(connected).token());
    setImmediate(() => answer.settle(granted('access-2')));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['access-2']));
    expect(state.asked).toBe(1);
    expect(table.connection?.access?.version).toBe(2);
  });

  it('is waited for three seconds at most', async () => {
    const { access, state } = service({
      ...without(connected, 'access'),
      refresh_lease: { holder: 'another', until: at(30) },
    });
    expect(await access().token()).toBe('unavailable');
    expect(state).toMatchObject({ asked: 0, slept: 3000 });
  });

  it('is refreshed by the next worker after the lease of a dead one', async () => {
    const dead = { ...without(connected, 'access'), refresh_lease: { holder: 'dead', until: at(30) } };
    const early = service(dead, 26);
    expect(await early.access().token()).toBe('unavailable');
    const due = service(dead, 30);
    expect(await due.access().token()).toBe('access-2');
    expect(due.table.connection).not.toHaveProperty('refresh_lease');
  });

  it('of a worker that exceeded its lease does not replace a newer one, and the worker uses the newer one', async () => {
    const { access, state, answering, table } = service(connected, 3600);
    const slow = held<TokenOutcome>();
    answering(() => slow.promise);
    const first = access().token();
    await soon();
    state.seconds += 31;
    answering(async () => granted('access-of-the-second'));
    expect(await access().token()).toBe('access-of-the-second');
    slow.settle(granted('access-of-the-first'));
    expect(await first).toBe('access-of-the-second');
    expect(table.connection?.access).toMatchObject({ version: 2, token: 'conn_1:access-of-the-second' });
  });
});

describe('a token that the CRM has refused', () => {
  it('is refreshed even before its expiry', async () => {
    const { access, state } = service();
    expect(await access().token('access-1')).toBe('access-2');
    expect(state.asked).toBe(1);
  });

  it('is replaced by a newer stored one without a refresh', async () => {
    const { access, state, table } = service();
    const late = access();
    table.connection = { ...connected, access: { version: 2, token: 'conn_1:access-2', expires_at: at(3600) } };
    expect(await late.token('access-1')).toBe('access-2');
    expect(state.asked).toBe(0);
  });

  it('is refreshed once for twenty workers, and never used again', async () => {
    const { access, state, answering } = service();
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const all = Array.from({ length: 20 }, () => access().token('access-1'));
    setImmediate(() => answer.settle(granted('access-2')));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['access-2']));
    expect(state.asked).toBe(1);
  });
});

describe('refreshes of a grant', () => {
  it('are limited to five in ten minutes', async () => {
    const { access, state } = service();
    for (let made = 1; made <= 5; made += 1) {
      expect(await access().token(`access-${made}`)).toBe(`access-${made + 1}`);
      state.seconds += 10;
    }
    expect(await access().token('access-6')).toBe('unavailable');
    // A worker whose token was not refused still uses the current one.
    expect(await access().token()).toBe('access-6');
    state.seconds = 599.999;
    expect(await access().token('access-6')).toBe('unavailable');
    state.seconds = 600;
    expect(await access().token('access-6')).toBe('access-7');
    expect(state.asked).toBe(6);
  });

  it('count if their answer was lost, but not if no request was sent', async () => {
    for (const isSent of [true, false]) {
      const { access, state, answering, table } = service(connected, 3600);
      answering(async () => ({ kind: 'unavailable', isSent, reason: 'x' }));
      expect(await access().token()).toBe('unavailable');
      expect(table.connection?.refreshes).toEqual(isSent ? [at(3600)] : []);
      expect(await access().token()).toBe('unavailable');
      expect(state.asked).toBe(1);
      state.seconds = 3605;
      answering(async () => granted('access-2'));
      expect(await access().token()).toBe('access-2');
    }
  });

  it.each<TokenOutcome>([
    { kind: 'throttled' },
    { kind: 'unavailable', isSent: true, reason: 'x' },
    { kind: 'garbage', reason: 'x' },
    refused('invalid_client'),
    refused('general_error'),
  ])('that fail need no new consent, and the current token is used while it is valid: %j', async (outcome) => {
    const { access, answering, state, table } = service(connected, 3300);
    answering(async () => outcome);
    expect(await access().token()).toBe('access-1');
    state.seconds = 3600;
    expect(await access().token()).toBe('unavailable');
    expect(table.connection).not.toHaveProperty('reconnect_needed');
  });

  it('wait a minute after a throttle', async () => {
    const { access, answering, state } = service(connected, 3600);
    answering(async () => ({ kind: 'throttled' }));
    expect(await access().token()).toBe('unavailable');
    answering(async () => granted('access-2'));
    state.seconds = 3656; // includes the wait of three seconds
    expect(await access().token()).toBe('unavailable');
    expect(state.asked).toBe(1);
    state.seconds = 3660;
    expect(await access().token()).toBe('access-2');
  });

  it('are not requested without a client for the data center', async () => {
    const { deps, table, state } = service(connected, 3600);
    const access = shown(crmBAccess({ ...deps, clientOf: async () => undefined })(table.connection as Connection));
    expect(await access.token()).toBe('unavailable');
    expect(state.asked).toBe(0);
    expect(table.connection).toEqual(connected);
  });
});

describe('a revoked grant', () => {
  it('marks the connection as unusable, and is not refreshed again', async () => {
    const { access, answering, state, table } = service(connected, 3300);
    answering(async () => refused('invalid_code'));
    expect(await access().token()).toBe('reconnect_needed');
    expect(table.connection).toEqual({
      ...without(connected, 'access'),
      reconnect_needed: { at: at(3300), reason: expect.stringContaining('invalid_code') },
      // After the next consent, the leads that changed just before are caught up on.
      catch_up_from: at(3300 - 15 * 60),
      refreshes: [at(3300)],
    });
    expect(await access().token()).toBe('reconnect_needed');
    expect(state.asked).toBe(1);
  });

  it('fails the workers that waited for its refresh', async () => {
    const { access, answering, state } = service(connected, 3600);
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const all = Array.from({ length: 5 }, () => access().token());
    setImmediate(() => answer.settle(refused('invalid_code')));
    expect(await Promise.all(all)).toEqual(Array(5).fill('reconnect_needed'));
    expect(state.asked).toBe(1);
  });

  it('needs no further request, and neither does a connection without a grant', async () => {
    for (const connection of [
      without(connected, 'grant', 'access'),
      { ...connected, reconnect_needed: { at: at(0), reason: 'x' } },
    ]) {
      const { access, state } = service(connection);
      expect(await access().token()).toBe('reconnect_needed');
      expect(state).toMatchObject({ asked: 0, slept: 0 });
    }
  });

  it('counts as revoked if the connection is deleted', async () => {
    const { access, table } = service();
    const late = access();
    table.connection = undefined;
    expect(await late.token('access-1')).toBe('reconnect_needed');
  });
});

describe('a new grant', () => {
  const second = {
    ...aGrant(),
    id: 'grant-2',
    data_center: 'eu' as const,
    api_domain: 'https://www.zohoapis.eu',
    refresh_token: 'conn_1:refresh-2',
    accounts_server: 'https://accounts.zoho.eu',
    granted_at: at(1),
  };
  const access2 = { version: 1, token: 'conn_1:access-of-grant-2', expires_at: at(9000) };

  it.each([
    ['a token', granted('access-2')],
    ['that the old one is gone', refused('invalid_code')],
  ])('is not changed by a late refresh of the old one: %s', async (_what, late) => {
    const { access, answering, state, table, grants } = service(connected, 3600);
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const asking = access();
    const token = asking.token();
    await soon();
    await grants.store('conn_1', second, access2);
    answer.settle(late);
    expect(await token).toBe('access-of-grant-2');
    expect(asking.apiDomain()).toBe('https://www.zohoapis.eu');
    expect(table.connection).toEqual({ ...connected, grant: second, access: access2 });
    expect(state.asked).toBe(1);
  });

  it('is used with its own domain after a token of the old grant was refused', async () => {
    const { access, state, grants } = service();
    const asking = access();
    expect([await asking.token(), asking.apiDomain()]).toEqual(['access-1', 'https://www.zohoapis.in']);
    await grants.store('conn_1', second, access2);
    expect(await asking.token('access-1')).toBe('access-of-grant-2');
    expect([asking.apiDomain(), state.asked]).toEqual(['https://www.zohoapis.eu', 0]);
  });

  it('starts with no counted refreshes', async () => {
    const { access, grants } = service({ ...connected, refreshes: [0, 1, 2, 3, 4].map(at) }, 10);
    expect(await access().token('access-1')).toBe('unavailable');
    await grants.store('conn_1', second, access2);
    expect(await access().token('access-of-grant-2')).toBe('access-2');
  });
});
