import type { Connection } from '../connection.ts';
import { crmBSettings } from '../crm-b-settings.ts';

/**
 * Every scope that the service needs at CRM-B (Zoho CRM v8, "Scopes"). A scope that is added later requires a new
 * consent of every customer. COQL and notes require the right to read their module as well.
 */
export const crmBScopes = [
  'ZohoCRM.modules.leads.READ',
  'ZohoCRM.modules.leads.UPDATE',
  'ZohoCRM.modules.calls.CREATE',
  'ZohoCRM.modules.calls.READ',
  'ZohoCRM.modules.notes.CREATE',
  'ZohoCRM.modules.notes.READ',
  'ZohoCRM.notifications.ALL',
  'ZohoCRM.coql.READ',
  'ZohoCRM.users.READ',
  'ZohoCRM.org.READ',
  'ZohoCRM.settings.fields.READ',
].join(',');

const crmBErasureScopes = ['ZohoCRM.modules.notes.DELETE', 'ZohoCRM.modules.calls.DELETE'];

/** Returns the scopes of a consent to CRM-B, with rights to delete only if the connection erases records there. */
export const crmBScopesFor = (connection: Pick<Connection, 'settings'>): string =>
  crmBSettings(connection).erase_records ? [crmBScopes, ...crmBErasureScopes].join(',') : crmBScopes;

/** The scopes at the help desk (docs/help-desk.md, "Scopes"). A stage can override their names. */
export const helpDeskScopes = [
  'HB.basic.READ',
  'HB.contacts.READ',
  'HB.tickets.ALL',
  'HB.settings.READ',
  'HB.search.READ',
].join(',');
