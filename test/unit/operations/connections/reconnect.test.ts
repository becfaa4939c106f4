import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { CrmBAccess } from '../../../../shared/integrations/crm-b/api.ts';
import type { CrmBWatch } from '../../../../shared/integrations/crm-b/watch.ts';
import type { TokenOutcome } from '../../../../shared/integrations/zoho-accounts/accounts.ts';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { beginConsent } from '../../../../shared/operations/connections/begin-consent.ts';
import { completeConsent } from '../../../../shared/operations/connections/complete-consent.ts';
import { stopFormerChannel } from '../../../../shared/operations/connections/steps/stop-channel.ts';
import type { FormerGrant } from '../../../../shared/stores/connections/connection-grants.ts';
import { operator } from '../../../support/connections/change-connection.ts';
import { connectionWorld } from '../../support/worlds/connection-world.ts';
import { aConnection, ORG } from '../../support/worlds/items.ts';

const HOUR = 3_600;
const refused = async () => ({ kind: 'refused' as const, reason: 'LIMIT_REACHED' });

/** A connection, and organizations of CRM-B: each has its channels, and its tokens are `<kind>-<organization>-…`. */
function aVendor() {
  const world = connectionWorld(aConnection());
  const channels: Record<string, string[]> = { A: [], B: [] };
  const steps: string[] = [];
  const state = { organization: 'A', refreshes: true, tokens: 0 };
  const granted = (organization: string): TokenOutcome => {
    state.tokens += 1;
    const [accessToken, refreshToken] = ['access', 'refresh'].map((kind) => `${kind}-${organization}-${state.tokens}`);
    const apiDomain = 'https://www.zohoapis.in';
    return { kind: 'granted', accessToken: `${accessToken}`, refreshToken, apiDomain, expiresInSeconds: HOUR };
  };
  const organizationOf = async (access: CrmBAccess): Promise<string> => {
    const got = await access.token();
    return got.kind === 'token' ? `${got.token.split('-')[1]}` : `no token: ${got.reason}`;
  };
  const watch: Pick<CrmBWatch, 'arm' | 'stop'> = {
    arm: async (access, { id, expiresAt }) => {
      channels[await organizationOf(access)]?.push(id);
      return { kind: 'armed', expires_at: expiresAt.toISOString() };
    },
    stop: async (access, id) => {
      const organization = await organizationOf(access);
      const known = channels[organization];
      if (!known) return { kind: 'unavailable', reason: organization };
      if (!known.includes(id)) return { kind: 'gone' };
      channels[organization] = known.filter((one) => one !== id);
      steps.push(`stop at ${organization}`);
      return { kind: 'stopped' };
    },
  };
  const client = { client_id: 'id', client_secret: 's' };
  const accessTo = (connection: Connection): CrmBAccess => ({
    apiDomain: '',
    token: async () => ({
      kind: 'token',
      token: await world.common.tokens.open('conn_1', connection.access?.token ?? ''),
    }),
  });
  const channelDeps = { ...world.common, watch, accessTo };
  const deps = {
    ...channelDeps,
    accounts: {
      exchange: async () => granted(state.organization),
      refresh: async (_server: string, _client: object, token: string): Promise<TokenOutcome> =>
        state.refreshes ? granted(`${token.split('-')[1]}`) : { kind: 'unavailable', isSent: true, reason: 'x' },
      revoke: async (_server: string, token: string) => {
        steps.push(`revoke at ${token.split('-')[1]}`);
        return true;
      },
    },
    clientOf: async () => client,
    hosts: {},
    readIdentity: async () => undefined,
    scopes: 'a',
    publicUrl: 'https://calls.example',
    sleep: () => new Promise<never>(() => undefined),
    armChannel: (connectionId: string) => armChannel(channelDeps, connectionId),
    stopFormerChannel: (connection: Connection, former: FormerGrant): Promise<boolean> =>
      stopFormerChannel(deps, connection, former),
  };
  const connect = async (organization: string) => {
    state.organization = organization;
    const url = await beginConsent(deps, { connection_id: 'conn_1', org_id: ORG, type: 'crm-b' }, 'in', {
      actor: operator,
      connects: 'at_callback',
    });
    const name = new URL(url ?? '').searchParams.get('state') ?? '';
    const query = { state: name, code: 'c', error: undefined, accountsServer: undefined };
    return completeConsent(deps, 'crm-b', query);
  };
  return Object.assign(world, { deps, watch, channels, steps, state, connect });
}

/** The number of channels in each organization. */
const countsOf = ({ channels }: ReturnType<typeof aVendor>) => [channels.A?.length, channels.B?.length];

describe('a reconnect to another organization of CRM-B', () => {
  it.each([
    ['with its access token', 0],
    ['with a new access token', HOUR],
  ])('stops the former channel under the former grant %s, and then revokes the grant', async (_how, age) => {
    const world = aVendor();
    await world.connect('A');
    expect(countsOf(world)).toEqual([1, 0]);
    world.pass(age);
    expect(await world.connect('B')).toMatchObject({ kind: 'connected', channel: 'armed' });
    expect(countsOf(world)).toEqual([0, 1]);
    expect(world.steps).toEqual(['stop at A', 'revoke at A']);
    expect(world.table.connection?.channel?.id).toBe(world.channels.B?.[0]);
  });

  it('stops the former channel even if the new one cannot be armed', async () => {
    const world = aVendor();
    await world.connect('A');
    world.watch.arm = refused;
    expect(await world.connect('B')).toMatchObject({ kind: 'connected', channel: 'failed' });
    expect([countsOf(world), world.steps]).toEqual([
      [0, 0],
      ['stop at A', 'revoke at A'],
    ]);
  });

  it('succeeds even if the former grant no longer gives access', async () => {
    const world = aVendor();
    await world.connect('A');
    world.pass(HOUR);
    world.state.refreshes = false;
    expect(await world.connect('B')).toMatchObject({ kind: 'connected', channel: 'armed' });
    expect([countsOf(world), world.steps]).toEqual([[1, 1], ['revoke at A']]);
    const reason = 'no token: the former grant gives no access token';
    expect(world.logged).toContainEqual({
      message: 'a watch channel could not be stopped',
      connection_id: 'conn_1',
      reason,
    });
  });

  it('sends no request about an expired channel', async () => {
    const world = aVendor();
    await world.connect('A');
    world.pass(7 * 24 * HOUR);
    expect(await world.connect('B')).toMatchObject({ kind: 'connected' });
    expect(world.steps).toEqual(['revoke at A']);
  });
});

it('a reconnect to the same organization leaves only the new channel', async () => {
  const world = aVendor();
  await world.connect('A');
  await world.connect('A');
  expect([countsOf(world), world.steps]).toEqual([
    [1, 0],
    ['stop at A', 'revoke at A'],
  ]);
  expect(world.table.connection?.channel?.id).toBe(world.channels.A?.[0]);
});
