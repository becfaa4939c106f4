import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { at, fails, granted, never, service, unconnected } from '../../support/consents.ts';
import { aGrant } from '../../support/worlds/items.ts';

describe('the step after the grant', () => {
  const yes = async () => true;
  const no = async () => false;
  it.each<[string, Parameters<typeof service>[0], string, object]>([
    ['arms the watch channel', { armChannel: yes }, 'arm', { channel: 'armed' }],
    ['may not arm the watch channel', { armChannel: no }, 'arm', { channel: 'failed' }],
    ['may fail to arm the watch channel', { armChannel: fails }, 'arm', { channel: 'failed' }],
    ['may hang in arming the watch channel', { armChannel: never }, 'arm', { channel: 'failed' }],
    ['chooses the organization of the help desk', { chooseOrganization: yes }, 'choose', { organization: 'chosen' }],
    ['may choose no organization', { chooseOrganization: no }, 'choose', { organization: 'not_chosen' }],
    ['may fail to choose one', { chooseOrganization: fails }, 'choose', { organization: 'not_chosen' }],
    ['may hang in choosing one', { chooseOrganization: never }, 'choose', { organization: 'not_chosen' }],
  ])('%s, and the connection stays connected', async (_name, given, step, result) => {
    const { complete, state, table, steps } = service(given);
    state.hangs = [given?.armChannel, given?.chooseOrganization].includes(never);
    expect(await complete()).toEqual({ kind: 'connected', connectionId: 'conn_1', channel: 'none', ...result });
    expect(steps).toEqual(['exchange', `${step} conn_1`]);
    expect(table.connection?.grant).toBeDefined();
  });
});

describe('a reconnect', () => {
  const before: Connection = {
    ...unconnected,
    grant: aGrant({ id: 'grant-0', accounts_server: 'https://accounts.zoho.eu', refresh_token: 'conn_1:refresh-0' }),
    access: { version: 7, token: 'conn_1:access-0', expires_at: at(-100) },
    refreshes: [at(-100)],
    refresh_lease: { holder: 'x', until: at(100) },
    reconnect_needed: { at: at(-50), reason: 'invalid_code' },
    channel: { id: '1', armed_at: at(-900), expires_at: at(900) },
  };

  it('removes only data that belonged to the old grant', async () => {
    const { complete, table } = service({ stored: before });
    await complete();
    const { grant, ...rest } = table.connection as Connection;
    expect(grant?.id).not.toBe('grant-0');
    expect(rest).toEqual({
      ...unconnected,
      channel: before.channel,
      access: { version: 1, token: 'conn_1:access-1', expires_at: at(3600) },
    });
  });

  it('revokes the old grant at its own accounts server, after the channel is armed with the new one', async () => {
    const { complete, steps, revoked } = service({ stored: before, armChannel: async () => true });
    await complete();
    expect(steps).toEqual(['exchange', 'arm conn_1', 'revoke']);
    expect(revoked).toEqual(['refresh-0 at https://accounts.zoho.eu']);
  });

  it('revokes no grant if the vendor issued the same refresh token again', async () => {
    const { complete, revoked } = service({ stored: before, outcome: granted({ refreshToken: 'refresh-0' }) });
    await complete();
    expect(revoked).toEqual([]);
  });

  it.each(['refresh-0', 'refresh-1'])('revokes no grant if the token %s cannot be opened', async (unreadable) => {
    const { complete, deps, revoked } = service({ stored: before });
    const { open } = deps.tokens;
    deps.tokens = {
      ...deps.tokens,
      open: async (...args) => {
        const token = await open(...args);
        return token === unreadable ? fails() : token;
      },
    };
    expect(await complete()).toMatchObject({ kind: 'connected' });
    expect(revoked).toEqual([]);
  });

  it('revokes a grant whose tokens cannot be sealed', async () => {
    const { complete, deps, revoked, table } = service();
    deps.tokens = { ...deps.tokens, seal: fails };
    await expect(complete()).rejects.toThrow('x');
    expect([revoked, table.connection?.grant]).toEqual([['refresh-1 at https://accounts.zoho.in'], undefined]);
  });

  it('does not revoke the stored grant if the same refresh token cannot be sealed again', async () => {
    const { complete, deps, revoked } = service({ stored: before, outcome: granted({ refreshToken: 'refresh-0' }) });
    deps.tokens = { ...deps.tokens, seal: fails };
    await expect(complete()).rejects.toThrow('x');
    expect(revoked).toEqual([]);
  });

  it.each([
    ['fails', fails],
    ['hangs', never],
  ])('succeeds even if the revocation %s', async (_how, revoke) => {
    const { complete, state } = service({ stored: before, revoke });
    state.hangs = true;
    expect(await complete()).toMatchObject({ kind: 'connected' });
  });
});
