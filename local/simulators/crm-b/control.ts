import { controlClient, journalControl, untilIdle } from '../kit/control-client.ts';
import { grantsControl } from '../zoho-accounts/control.ts';
import type { AccountsSettings } from '../zoho-accounts/settings.ts';
import type { Fault } from './faults.ts';
import type { Channel, RelatedModule, SeenRequest, SentNotification } from './model.ts';
import type { LeadPut, SettingsPut, WrittenView } from './routes/control.ts';
import type { Settings } from './settings.ts';

type Fields = Record<string, unknown>;

/** Controls a running CRM and its accounts server. @param url of the API. */
export function crmBControl(url: string) {
  const request = controlClient('CRM-B', url);
  const written = async (module: RelatedModule, leadId?: string) =>
    (await request<{ written: WrittenView[] }>('GET', 'written')).written.filter(
      (each) => each.module === module && (leadId === undefined || each.leadId === leadId),
    );

  return {
    ...grantsControl(request),
    ...journalControl<SeenRequest, Fault>(request),
    /** Changes some settings of the CRM or the accounts server, and returns all. */
    settings(settings: SettingsPut): Promise<Settings & AccountsSettings> {
      return request('PUT', 'settings', settings);
    },
    /** Creates a lead and notifies the channels. @returns its id. */
    async createLead(fields: Fields, options: Omit<LeadPut, 'fields'> = {}): Promise<string> {
      const [id = ''] = await this.putLeads([{ fields, ...options }]);
      return id;
    },
    async editLead(id: string, fields: Fields, options: Omit<LeadPut, 'fields' | 'id'> = {}): Promise<void> {
      await this.putLeads([{ id, fields, ...options }]);
    },
    /** Creates leads without an id or with an unknown one, and edits the others. @returns the ids. */
    async putLeads(leads: LeadPut[]): Promise<string[]> {
      return (await request<{ ids: string[] }>('PUT', 'leads', leads)).ids;
    },
    /** @returns false if no such lead exists. */
    async deleteLead(id: string): Promise<boolean> {
      return (await request<{ deleted: boolean }>('DELETE', `leads/${encodeURIComponent(id)}`)).deleted;
    },
    /** Returns all leads as the API shows them. */
    async leads(): Promise<(Fields & { id: string })[]> {
      return (await request<{ leads: (Fields & { id: string })[] }>('GET', 'leads')).leads;
    },
    /** Returns the written calls, oldest first, each with its request. */
    calls(leadId?: string): Promise<WrittenView[]> {
      return written('Calls', leadId);
    },
    notes(leadId?: string): Promise<WrittenView[]> {
      return written('Notes', leadId);
    },
    /** Returns the channels that have not expired, one row per module. */
    async channels(): Promise<Channel[]> {
      return (await request<{ channels: Channel[] }>('GET', 'channels')).channels;
    },
    /** Makes a channel deliver nothing although it appears active. */
    async silence(channelId: string, silent = true): Promise<void> {
      await request('PATCH', `channels/${encodeURIComponent(channelId)}`, { silent });
    },
    /** Loses a channel, or all channels, as the vendor may. */
    async loseChannel(channelId?: string): Promise<void> {
      await request('DELETE', channelId === undefined ? 'channels' : `channels/${encodeURIComponent(channelId)}`);
    },
    async notifications(): Promise<SentNotification[]> {
      return (await request<{ notifications: SentNotification[] }>('GET', 'notifications')).notifications;
    },
    /** Sends the notifications that the mode `hold` has held back. @returns their number */
    async release(): Promise<number> {
      return (await request<{ released: number }>('POST', 'release')).released;
    },
    /** Waits until every notification that is not held is delivered or lost. */
    untilIdle(timeoutMs = 60_000): Promise<void> {
      return untilIdle(request, timeoutMs);
    },
    /** Forgets everything except the first clients and users. */
    async reset(): Promise<void> {
      await request('POST', 'reset');
    },
  };
}
