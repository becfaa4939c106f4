import { controlOf } from '../control.ts';
import type { contactRecord } from './contacts.ts';
import type { ContactPut, OrganizationPut, TicketPut, TicketView } from './control-routes.ts';
import type { Settings, SettingsChange } from './settings.ts';
import type { ArmedFault, Fault, Organization, SeenRequest } from './state.ts';

export type ContactView = ReturnType<typeof contactRecord> & { orgId: string };

/** Directs a running simulator from a test. */
export function helpDeskControl(url: string) {
  const ask = controlOf('help desk', url);
  const path = (resource: string, id: string) => `${resource}/${encodeURIComponent(id)}`;

  return {
    /** Adds an organization or replaces one. Named users see it instead of those that are open to everyone. */
    organization(id: string, organization: OrganizationPut = {}): Promise<Organization> {
      return ask('PUT', path('organizations', id), organization);
    },
    async organizations(): Promise<Organization[]> {
      return (await ask<{ organizations: Organization[] }>('GET', 'organizations')).organizations;
    },
    async removeOrganization(id: string): Promise<void> {
      await ask('DELETE', path('organizations', id));
    },
    /** Changes some settings and returns all. */
    settings(settings: SettingsChange): Promise<Settings> {
      return ask('PUT', 'settings', settings);
    },
    /** Adds a contact, its numbers as typed, to the organization or the default one. @returns its id. */
    async addContact(fields: ContactPut['fields'], orgId?: string): Promise<string> {
      return (await ask<{ id: string }>('POST', 'contacts', { fields, ...(orgId && { orgId }) })).id;
    },
    /** Oldest first. */
    async listContacts(): Promise<ContactView[]> {
      return (await ask<{ contacts: ContactView[] }>('GET', 'contacts')).contacts;
    },
    async deleteContact(id: string): Promise<boolean> {
      return (await ask<{ deleted: boolean }>('DELETE', path('contacts', id))).deleted;
    },
    /** Oldest first; of several conditions all have to hold. */
    async listTickets(where: { phone?: string; contactId?: string; orgId?: string } = {}): Promise<TicketView[]> {
      const given = Object.entries(where).filter(([, value]) => value !== undefined);
      return (await ask<{ tickets: TicketView[] }>('GET', `tickets?${new URLSearchParams(given)}`)).tickets;
    },
    /** One with its comments, attachments and tags. */
    async ticket(id: string): Promise<TicketView | undefined> {
      return (await ask<{ tickets: TicketView[] }>('GET', path('tickets', id))).tickets[0];
    },
    /** As an agent changes it. */
    changeTicket(id: string, change: TicketPut): Promise<TicketView> {
      return ask('PATCH', path('tickets', id), change);
    },
    setStatus(id: string, status: string): Promise<TicketView> {
      return this.changeTicket(id, { status });
    },
    async deleteTicket(id: string): Promise<boolean> {
      return (await ask<{ deleted: boolean }>('DELETE', path('tickets', id))).deleted;
    },
    /** Requests of the vendor's routes, oldest first: `POST /api/v1/tickets/{id}/comments`. */
    async requests(route?: string): Promise<SeenRequest[]> {
      const query = route === undefined ? '' : `?route=${encodeURIComponent(route)}`;
      return (await ask<{ requests: SeenRequest[] }>('GET', `requests${query}`)).requests;
    },
    /** The most requests under way at once: `all`, those of a route, or those of `organization <id>`. */
    async mostInFlight(key = 'all'): Promise<number> {
      return (await ask<Record<string, number>>('GET', 'most-in-flight'))[key] ?? 0;
    },
    /** `containing` may be a number, a subject, a file's name or an id: what the request says. */
    async fault(fault: Fault): Promise<void> {
      await ask('POST', 'faults', fault);
    },
    async faults(): Promise<ArmedFault[]> {
      return (await ask<{ faults: ArmedFault[] }>('GET', 'faults')).faults;
    },
    async clearFaults(): Promise<void> {
      await ask('DELETE', 'faults');
    },
    /** Forgets everything but the organization it was started with. */
    async reset(): Promise<void> {
      await ask('POST', 'reset');
    },
  };
}
