import { setTimeout as sleep } from 'node:timers/promises';
import { controlOf } from '../control.ts';
import type { ClientPut, GrantPut, LeadPut, UserPut, WrittenView } from './control-routes.ts';
import type { ArmedFault, Fault } from './faults.ts';
import type { RefreshToken } from './grants.ts';
import type { SentNotification } from './notifications.ts';
import type { Settings, SettingsChange } from './settings.ts';
import type { Client, SeenRequest, User } from './state.ts';
import type { Channel } from './watch.ts';

type Fields = Record<string, unknown>;

/** Directs a running simulator from a test. The address is the API's. */
export function crmBControl(url: string) {
  const ask = controlOf('CRM-B', url);
  const written = async (module: 'Calls' | 'Notes', leadId?: string) =>
    (await ask<{ written: WrittenView[] }>('GET', 'written')).written.filter(
      (each) => each.module === module && (leadId === undefined || each.leadId === leadId),
    );

  return {
    /** Registers an OAuth client or changes one. */
    client(id: string, client: ClientPut): Promise<Client> {
      return ask('PUT', `clients/${encodeURIComponent(id)}`, client);
    },
    /** A user, who can own leads and consent; a new org starts with its first user. */
    user(id: string, user: UserPut): Promise<User> {
      return ask('PUT', `users/${encodeURIComponent(id)}`, user);
    },
    async users(): Promise<User[]> {
      return (await ask<{ users: User[] }>('GET', 'users')).users;
    },
    /** Changes some settings and returns all. */
    settings(settings: SettingsChange): Promise<Settings> {
      return ask('PUT', 'settings', settings);
    },
    /** Creates a lead and tells the channels; the new id. */
    async createLead(fields: Fields, options: Omit<LeadPut, 'fields'> = {}): Promise<string> {
      const [id = ''] = await this.putLeads([{ fields, ...options }]);
      return id;
    },
    async editLead(id: string, fields: Fields, options: Omit<LeadPut, 'fields' | 'id'> = {}): Promise<void> {
      await this.putLeads([{ id, fields, ...options }]);
    },
    /** Creates those without an id or with a new one, edits the others; changes of one kind share notifications. */
    async putLeads(leads: LeadPut[]): Promise<string[]> {
      return (await ask<{ ids: string[] }>('PUT', 'leads', leads)).ids;
    },
    async deleteLead(id: string): Promise<boolean> {
      return (await ask<{ deleted: boolean }>('DELETE', `leads/${encodeURIComponent(id)}`)).deleted;
    },
    /** As the API shows them. */
    async leads(): Promise<(Fields & { id: string })[]> {
      return (await ask<{ leads: (Fields & { id: string })[] }>('GET', 'leads')).leads;
    },
    /** Written calls, oldest first, each with the request that made it. */
    calls(leadId?: string): Promise<WrittenView[]> {
      return written('Calls', leadId);
    },
    notes(leadId?: string): Promise<WrittenView[]> {
      return written('Notes', leadId);
    },
    /** A grant with a refresh and an access token, without the consent page. */
    grant(grant: GrantPut): Promise<{ refreshToken: string; accessToken: string }> {
      return ask('POST', 'grants', grant);
    },
    /** Grants with every token issued. */
    async grants(): Promise<RefreshToken[]> {
      return (await ask<{ grants: RefreshToken[] }>('GET', 'grants')).grants;
    },
    /**
     * As a user does in the account's settings: this refresh token or all, with the access tokens made from it. An
     * access token goes alone.
     */
    async revoke(token = ''): Promise<void> {
      await ask('DELETE', `grants/${encodeURIComponent(token)}`);
    },
    /** What a valid access token stands for, for another simulator of the same vendor. */
    async grantOf(accessToken: string): Promise<RefreshToken | null> {
      return (await ask<{ grant: RefreshToken | null }>('GET', `token/${encodeURIComponent(accessToken)}`)).grant;
    },
    /** Channels that have not expired, one row per module. */
    async channels(): Promise<Channel[]> {
      return (await ask<{ channels: Channel[] }>('GET', 'channels')).channels;
    },
    /** The channel goes on looking active and delivers nothing. */
    async silence(channelId: string, silent = true): Promise<void> {
      await ask('PATCH', `channels/${encodeURIComponent(channelId)}`, { silent });
    },
    /** The vendor loses the channel, or all. */
    async loseChannel(channelId = ''): Promise<void> {
      await ask('DELETE', `channels/${encodeURIComponent(channelId)}`);
    },
    async notifications(): Promise<SentNotification[]> {
      return (await ask<{ notifications: SentNotification[] }>('GET', 'notifications')).notifications;
    },
    /** Sends what the mode `hold` kept back; how many. */
    async release(): Promise<number> {
      return (await ask<{ released: number }>('POST', 'release')).released;
    },
    /** Requests of the vendor's routes, oldest first: `GET /crm/v8/Leads/{id}`. */
    async requests(route?: string): Promise<SeenRequest[]> {
      const query = route === undefined ? '' : `?route=${encodeURIComponent(route)}`;
      return (await ask<{ requests: SeenRequest[] }>('GET', `requests${query}`)).requests;
    },
    /** The most API requests that were under way at once: `all` or those of a route. */
    async mostInFlight(route = 'all'): Promise<number> {
      return (await ask<Record<string, number>>('GET', 'most-in-flight'))[route] ?? 0;
    },
    async fault(fault: Fault): Promise<void> {
      await ask('POST', 'faults', fault);
    },
    async faults(): Promise<ArmedFault[]> {
      return (await ask<{ faults: ArmedFault[] }>('GET', 'faults')).faults;
    },
    async clearFaults(): Promise<void> {
      await ask('DELETE', 'faults');
    },
    /** Waits until every notification that is not held is delivered or lost. */
    async untilIdle(timeoutMs = 60_000): Promise<void> {
      let pauseMs = 5;
      for (const end = Date.now() + timeoutMs; ; await sleep(pauseMs)) {
        pauseMs = Math.min(100, 1.2 * pauseMs);
        if ((await ask<{ idle: boolean }>('GET', 'idle')).idle) return;
        if (Date.now() > end) throw new Error(`The CRM-B simulator is still busy after ${timeoutMs} ms.`);
      }
    },
    /** Forgets everything but the clients and users it was started with. */
    async reset(): Promise<void> {
      await ask('POST', 'reset');
    },
  };
}
