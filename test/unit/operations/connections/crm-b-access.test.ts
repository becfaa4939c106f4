import { describe, expect, it } from '@jest/globals';
import { AccessUnavailable, ReconnectNeeded } from '../../../../shared/domain/connections/access-errors.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { TokenOutcome } from '../../../../shared/integrations/zoho-accounts/accounts.ts';
import { crmBAccess } from '../../../../shared/operations/connections/access/crm-b-access.ts';
import { grantsInMemory, tokensInMemory } from '../../support/grants.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1000).toISOString();
const SERVER = 'https://accounts.zoho.in';

const connected: Connection = {
  connection_id: 'conn_1',
  org_id: 'org1',
  type: 'crm-b',
  created_at: at(-1000),
  auto_call: true,
  grant: {
    id: 'grant-1',
    data_center: 'in',
    accounts_server: SERVER,
    api_domain: 'https://www.zohoapis.in',
    refresh_token: 'conn_1:refresh-1',
    granted_at: at(0),
  },
  access: { version: 1, token: 'conn_1:access-1', expires_at: at(3600) },
};

const without = (connection: Connection, ...attributes: (keyof Connection)[]): Connection => {
  const copy = { ...connection };
  for (const attribute of attributes) delete copy[attribute];
  return copy;
};

/** Everything in memory; the refresh answers when the test says so. Waits pass the time. */
function service(initial: Connection = connected, at0 = 0) {
  const state = { seconds: at0, slept: 0, asked: 0, made: 1 };
  const memory = grantsInMemory(initial);
  let answer: () => Promise<TokenOutcome> = async () => {
    state.made += 1;
    return { kind: 'granted', accessToken: `access-${state.made}`, expiresInSeconds: 3600 };
  };
  const requests: { server: string; id: string; token: string }[] = [];
  const deps = {
    ...memory,
    tokens: tokensInMemory,
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
    table: memory.table,
    grants: memory.grants,
    answering: (next: () => Promise<TokenOutcome>) => {
      answer = next;
    },
    access: (connection = memory.table.connection as Connection) => crmBAccess(deps)(connection),
  };
}

const refused = (error: string): TokenOutcome => ({ kind: 'refused', error });
const granted = (accessToken: string): TokenOutcome => ({ kind: 'granted', accessToken, expiresInSeconds: 3600 });

/** A promise that the test settles. */
function held<Value>() {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}
const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('an access token', () => {
  it('is used as it is until five minutes before its end, and refreshed from then on', async () => {
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
    expect(access.apiDomain).toBe('https://www.zohoapis.in');
  });

  it('is refreshed once for twenty that want one at the same moment; the others use the current one', async () => {
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

  it('is refreshed once for twenty where the current one has ended: they wait and get the new one', async () => {
    const { access, state, answering, table } = service(connected, 3600);
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const all = Array.from({ length: 20 }, () => access(connected).token());
    setImmediate(() => answer.settle(granted('access-2')));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['access-2']));
    expect(state.asked).toBe(1);
    expect(table.connection?.access?.version).toBe(2);
  });

  it('is waited for three seconds, and not longer', async () => {
    const { access, state } = service({
      ...without(connected, 'access'),
      refresh_lease: { holder: 'another', until: at(30) },
    });
    await expect(access().token()).rejects.toThrow(AccessUnavailable);
    expect(state).toMatchObject({ asked: 0, slept: 3000 });
  });

  it('is refreshed by the next one where who had the lease died with it', async () => {
    const dead = { ...without(connected, 'access'), refresh_lease: { holder: 'dead', until: at(30) } };
    const early = service(dead, 26);
    await expect(early.access().token()).rejects.toThrow(AccessUnavailable);
    const due = service(dead, 30);
    expect(await due.access().token()).toBe('access-2');
    expect(due.table.connection).not.toHaveProperty('refresh_lease');
  });

  it('of who comes back after its lease is not recorded over the next one: that one is used', async () => {
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
  it('is refreshed, although its end is far', async () => {
    const { access, state } = service();
    expect(await access().token('access-1')).toBe('access-2');
    expect(state.asked).toBe(1);
  });

  it('is replaced by the stored one where that is another by now, without a refresh', async () => {
    const { access, state, table } = service();
    const late = access();
    table.connection = { ...connected, access: { version: 2, token: 'conn_1:access-2', expires_at: at(3600) } };
    expect(await late.token('access-1')).toBe('access-2');
    expect(state.asked).toBe(0);
  });

  it('is refreshed once, however many were refused with it at once, and is given to none of them', async () => {
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
  it('are five in ten minutes at most, whoever asks', async () => {
    const { access, state } = service();
    for (let made = 1; made <= 5; made += 1) {
      expect(await access().token(`access-${made}`)).toBe(`access-${made + 1}`);
      state.seconds += 10;
    }
    await expect(access().token('access-6')).rejects.toThrow(AccessUnavailable);
    // The current one still counts for who was not refused with it.
    expect(await access().token()).toBe('access-6');
    state.seconds = 599.999;
    await expect(access().token('access-6')).rejects.toThrow(AccessUnavailable);
    state.seconds = 600;
    expect(await access().token('access-6')).toBe('access-7');
    expect(state.asked).toBe(6);
  });

  it('count where their answer was lost, and not where no request was sent', async () => {
    for (const isSent of [true, false]) {
      const { access, state, answering, table } = service(connected, 3600);
      answering(async () => ({ kind: 'unavailable', isSent, reason: 'x' }));
      await expect(access().token()).rejects.toThrow(AccessUnavailable);
      expect(table.connection?.refreshes).toEqual(isSent ? [at(3600)] : []);
      // Nobody asks again at once.
      await expect(access().token()).rejects.toThrow(AccessUnavailable);
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
  ])('that fail are no reason to connect again, and the current token is used while it counts: %j', async (outcome) => {
    const { access, answering, state, table } = service(connected, 3300);
    answering(async () => outcome);
    expect(await access().token()).toBe('access-1');
    state.seconds = 3600;
    await expect(access().token()).rejects.toThrow(AccessUnavailable);
    expect(table.connection).not.toHaveProperty('reconnect_needed');
  });

  it('wait a minute after a throttle', async () => {
    const { access, answering, state } = service(connected, 3600);
    answering(async () => ({ kind: 'throttled' }));
    await expect(access().token()).rejects.toThrow(AccessUnavailable);
    answering(async () => granted('access-2'));
    state.seconds = 3656; // the wait of three seconds included
    await expect(access().token()).rejects.toThrow(AccessUnavailable);
    expect(state.asked).toBe(1);
    state.seconds = 3660;
    expect(await access().token()).toBe('access-2');
  });

  it('are not asked for without a client for the data center', async () => {
    const { deps, table, state } = service(connected, 3600);
    const access = crmBAccess({ ...deps, clientOf: async () => undefined })(table.connection as Connection);
    await expect(access.token()).rejects.toThrow(AccessUnavailable);
    expect(state.asked).toBe(0);
    expect(table.connection).toEqual(connected);
  });
});

describe('a grant that is gone', () => {
  it('marks the connection, ends every use of it, and is not asked about again', async () => {
    const { access, answering, state, table } = service(connected, 3300);
    answering(async () => refused('invalid_code'));
    await expect(access().token()).rejects.toThrow(ReconnectNeeded);
    expect(table.connection).toEqual({
      ...without(connected, 'access'),
      reconnect_needed: { at: at(3300), reason: expect.stringContaining('invalid_code') },
      // Whoever connects again has its leads caught up on: those that changed just before were told of in vain.
      catch_up_from: at(3300 - 15 * 60),
      refreshes: [at(3300)],
    });
    await expect(access().token()).rejects.toThrow(ReconnectNeeded);
    expect(state.asked).toBe(1);
  });

  it('is told to those that waited for its refresh', async () => {
    const { access, answering, state } = service(connected, 3600);
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const all = Array.from({ length: 5 }, () =>
      access()
        .token()
        .catch((error: Error) => error.name),
    );
    setImmediate(() => answer.settle(refused('invalid_code')));
    expect(await Promise.all(all)).toEqual(Array(5).fill('ReconnectNeeded'));
    expect(state.asked).toBe(1);
  });

  it('needs no request where none was ever given, or where it is known to be gone', async () => {
    for (const connection of [
      without(connected, 'grant', 'access'),
      { ...connected, reconnect_needed: { at: at(0), reason: 'x' } },
    ]) {
      const { access, state } = service(connection);
      await expect(access().token()).rejects.toThrow(ReconnectNeeded);
      expect(state).toMatchObject({ asked: 0, slept: 0 });
    }
  });

  it('is told where the connection itself is gone', async () => {
    const { access, table } = service();
    const late = access();
    table.connection = undefined;
    await expect(late.token('access-1')).rejects.toThrow(ReconnectNeeded);
  });
});

describe('a new grant', () => {
  const second = {
    ...connected.grant,
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
  ])('is not touched by what a refresh of the old one brings late: %s', async (_what, late) => {
    const { access, answering, state, table, grants } = service(connected, 3600);
    const answer = held<TokenOutcome>();
    answering(() => answer.promise);
    const asking = access();
    const token = asking.token();
    await soon();
    await grants.store('conn_1', second, access2);
    answer.settle(late);
    expect(await token).toBe('access-of-grant-2');
    expect(asking.apiDomain).toBe('https://www.zohoapis.eu');
    expect(table.connection).toEqual({ ...connected, grant: second, access: access2 });
    expect(state.asked).toBe(1);
  });

  it('is used by who was refused with a token of the old one, at its own domain', async () => {
    const { access, state, grants } = service();
    const asking = access();
    expect([await asking.token(), asking.apiDomain]).toEqual(['access-1', 'https://www.zohoapis.in']);
    await grants.store('conn_1', second, access2);
    expect(await asking.token('access-1')).toBe('access-of-grant-2');
    expect([asking.apiDomain, state.asked]).toEqual(['https://www.zohoapis.eu', 0]);
  });

  it('starts with no refresh counted', async () => {
    const { access, grants } = service({ ...connected, refreshes: [0, 1, 2, 3, 4].map(at) }, 10);
    await expect(access().token('access-1')).rejects.toThrow(AccessUnavailable);
    await grants.store('conn_1', second, access2);
    expect(await access().token('access-of-grant-2')).toBe('access-2');
  });
});
