import type { ConsentIdentity } from '../../../shared/domain/connections/access/consent-identity.ts';
import type { DataCenter } from '../../../shared/domain/connections/access/data-center.ts';
import type { OauthClient } from '../../../shared/domain/connections/access/oauth-client.ts';
import type { StageHosts } from '../../../shared/domain/connections/allowed-hosts.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import type { Actor } from '../../../shared/domain/organizations/audit/audit-entry.ts';
import { secondsAfter } from '../../../shared/domain/time/instants.ts';
import type { TokenOutcome } from '../../../shared/integrations/zoho-accounts/accounts.ts';
import { type BegunConsent, beginConsent } from '../../../shared/operations/connections/begin-consent.ts';
import { type ConsentCallback, completeConsent } from '../../../shared/operations/connections/complete-consent.ts';
import { connectionWorld } from './worlds/connection-world.ts';
import { aConnection } from './worlds/items.ts';
import { START } from './worlds/world.ts';

export const at = (seconds: number) => secondsAfter(START, seconds);

export const admin: Actor = { kind: 'member', user_id: 'user-1', email: 'priya@example.com' };
export const atCallback: BegunConsent = { actor: admin, connects: 'at_callback' };
export const unconnected = aConnection();
export const clientFor = (region: string): OauthClient => ({ client_id: `id-${region}`, client_secret: `s-${region}` });
export const granted = (over: Partial<Extract<TokenOutcome, { kind: 'granted' }>> = {}): TokenOutcome => ({
  kind: 'granted',
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  apiDomain: 'https://www.zohoapis.in',
  expiresInSeconds: 3600,
  ...over,
});

export const fails = async (): Promise<never> => {
  throw new Error('x');
};
export const never = () => new Promise<never>(() => undefined);

/** A connection, the accounts server, and the order of the steps. */
export function service({
  stored = unconnected as Connection | null,
  outcome = granted(),
  clients = ['in', 'eu'],
  hosts = {} as StageHosts,
  armChannel = undefined as (() => Promise<boolean>) | undefined,
  chooseOrganization = undefined as (() => Promise<boolean>) | undefined,
  revoke = async () => true,
} = {}) {
  const steps: string[] = [];
  const exchanges: unknown[] = [];
  const revoked: string[] = [];
  const world = connectionWorld(stored ?? undefined);
  const step = (name: string, act: () => Promise<boolean>) => async (connectionId: string) => {
    steps.push(`${name} ${connectionId}`);
    return act();
  };
  const deps = {
    ...world.common,
    accounts: {
      exchange: async (server: string, client: OauthClient, request: object) => {
        steps.push('exchange');
        exchanges.push({ server, client, ...request });
        return state.outcome;
      },
      revoke: async (server: string, token: string) => {
        steps.push('revoke');
        revoked.push(`${token} at ${server}`);
        return revoke();
      },
    },
    clientOf: async (dataCenter: DataCenter) => (clients.includes(dataCenter) ? clientFor(dataCenter) : undefined),
    hosts,
    readIdentity: async (): Promise<ConsentIdentity | undefined> => state.identity,
    scopes: 'a,b',
    publicUrl: 'https://calls.example',
    ...(armChannel && { armChannel: step('arm', armChannel) }),
    ...(chooseOrganization && { chooseOrganization: step('choose', chooseOrganization) }),
    // A wait ends only if a step hangs.
    sleep: (milliseconds: number) => (state.hangs ? Promise.resolve(milliseconds) : never()),
  };
  const state = { outcome, hangs: false, identity: undefined as ConsentIdentity | undefined };
  const begin = async (dataCenter: DataCenter = 'in', { connection_id, org_id } = unconnected) => {
    const url = await beginConsent(deps, { connection_id, org_id, type: 'crm-b' }, dataCenter, atCallback);
    return new URL(url ?? '').searchParams.get('state') ?? '';
  };
  const callback = (
    name: string | undefined,
    over: Partial<ConsentCallback> = {},
    type: 'crm-b' | 'help-desk' = 'crm-b',
  ) =>
    completeConsent(deps, type, {
      state: name,
      code: 'code-1',
      error: undefined,
      accountsServer: 'https://accounts.zoho.in',
      ...over,
    });
  const complete = async (over: Partial<ConsentCallback> = {}, dataCenter?: DataCenter) =>
    callback(await begin(dataCenter), over);
  const states = () => world.all('oauth-states');
  return Object.assign(world, { deps, state, steps, exchanges, revoked, begin, callback, complete, states });
}
