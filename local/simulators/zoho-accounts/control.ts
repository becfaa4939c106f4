import { type ControlRequest, controlClient, journalControl } from '../kit/control-client.ts';
import type { AccountsFault } from './faults.ts';
import type { Client, Grant, User, ZohoRequest } from './model.ts';
import type { ClientPut, GrantPut, UserPut } from './routes/control.ts';
import type { AccountsSettings } from './settings.ts';

/** Controls the clients, users and grants of an accounts server. */
export const grantsControl = (request: ControlRequest) => ({
  /** Registers an OAuth client or changes one. */
  client(id: string, client: ClientPut): Promise<Client> {
    return request('PUT', `clients/${encodeURIComponent(id)}`, client);
  },
  /** Adds a user, who can own leads and consent. The first user of an organization creates it. */
  user(id: string, user: UserPut): Promise<User> {
    return request('PUT', `users/${encodeURIComponent(id)}`, user);
  },
  async users(): Promise<User[]> {
    return (await request<{ users: User[] }>('GET', 'users')).users;
  },
  /** Creates a grant with a refresh token and an access token, without the consent page. */
  grant(grant: GrantPut): Promise<{ refreshToken: string; accessToken: string }> {
    return request('POST', 'grants', grant);
  },
  /** Returns the grants with every issued token. */
  async grants(): Promise<Grant[]> {
    return (await request<{ grants: Grant[] }>('GET', 'grants')).grants;
  },
  /**
   * Revokes grants as a user does in the account's settings: the grant of a refresh token or all, with their access
   * tokens. An access token is revoked alone.
   */
  async revoke(token?: string): Promise<void> {
    await request('DELETE', token === undefined ? 'grants' : `grants/${encodeURIComponent(token)}`);
  },
  /** Returns the grant of a valid access token. */
  async grantOf(accessToken: string): Promise<(Grant & { user: { name: string; email: string } }) | null> {
    return (
      await request<{ grant: (Grant & { user: { name: string; email: string } }) | null }>(
        'GET',
        `grants/${encodeURIComponent(accessToken)}`,
      )
    ).grant;
  },
});

/** Controls a running accounts server. */
export function accountsControl(url: string) {
  const request = controlClient('accounts', url);
  return {
    ...grantsControl(request),
    ...journalControl<ZohoRequest, AccountsFault>(request),
    /** Changes some settings and returns all. */
    settings(settings: Partial<AccountsSettings>): Promise<AccountsSettings> {
      return request('PUT', 'settings', settings);
    },
    /** Forgets everything except the first clients and users. */
    async reset(): Promise<void> {
      await request('POST', 'reset');
    },
  };
}
