import { controlClient, journalControl, withQuery } from '../kit/control-client.ts';
import type { Fault } from './faults.ts';
import type { Organization, SeenRequest } from './model.ts';
import type { ContactPut, OrganizationPut, TicketPut, TicketView } from './routes/control.ts';
import type { contactRecord } from './rules/contacts.ts';
import type { Settings, SettingsChange } from './settings.ts';

export type ContactView = ReturnType<typeof contactRecord> & { orgId: string };

/** Controls a running help desk. */
export function helpDeskControl(url: string) {
  const request = controlClient('help desk', url);
  const path = (resource: string, id: string) => `${resource}/${encodeURIComponent(id)}`;

  return {
    ...journalControl<SeenRequest, Fault>(request),
    /** Adds an organization or replaces one. Its named users no longer see organizations that are open to everyone. */
    organization(id: string, organization: OrganizationPut = {}): Promise<Organization> {
      return request('PUT', path('organizations', id), organization);
    },
    /** Changes some settings and returns all. */
    settings(settings: SettingsChange): Promise<Settings> {
      return request('PUT', 'settings', settings);
    },
    /**
     * Adds a contact, with its numbers as typed. @param orgId undefined for the default organization @returns its id
     */
    async addContact(fields: ContactPut['fields'], orgId?: string): Promise<string> {
      return (await request<{ id: string }>('POST', 'contacts', { fields, ...(orgId && { orgId }) })).id;
    },
    /** Returns all contacts, oldest first. */
    async listContacts(): Promise<ContactView[]> {
      return (await request<{ contacts: ContactView[] }>('GET', 'contacts')).contacts;
    },
    /** @returns false if no such contact exists */
    async deleteContact(id: string): Promise<boolean> {
      return (await request<{ deleted: boolean }>('DELETE', path('contacts', id))).deleted;
    },
    /** Returns the tickets that meet every condition, oldest first. */
    async listTickets(where: { phone?: string; contactId?: string; orgId?: string } = {}): Promise<TicketView[]> {
      return (await request<{ tickets: TicketView[] }>('GET', withQuery('tickets', where))).tickets;
    },
    async ticket(id: string): Promise<TicketView | undefined> {
      return (await request<{ tickets: TicketView[] }>('GET', path('tickets', id))).tickets[0];
    },
    /** Changes a ticket as an agent does. */
    changeTicket(id: string, change: TicketPut): Promise<TicketView> {
      return request('PATCH', path('tickets', id), change);
    },
    setStatus(id: string, status: string): Promise<TicketView> {
      return this.changeTicket(id, { status });
    },
    /** @returns false if no such ticket exists */
    async deleteTicket(id: string): Promise<boolean> {
      return (await request<{ deleted: boolean }>('DELETE', path('tickets', id))).deleted;
    },
    /** Forgets everything except the default organization. */
    async reset(): Promise<void> {
      await request('POST', 'reset');
    },
  };
}
