import { html } from 'hono/html';
import { type Html, options, pageOf, valueTable } from '../../kit/page.ts';
import type { Lead, RelatedModule } from '../model.ts';
import { leadRecord, writtenRecord } from '../rules/records.ts';
import type { CrmBState } from '../state.ts';

export const page = pageOf('the CRM');

/** The fields of the forms. */
export const formNames = ['First_Name', 'Last_Name', 'Mobile', 'Company', 'City', 'Lead_Source', 'Description'];

export function leadsPage(state: CrmBState): Html {
  const rows = [...state.leads.values()].reverse().map((lead) => {
    const { Full_Name: name, Mobile: mobile, Phone: phone } = leadRecord(state, lead);
    const link = html`<a href="/leads/${lead.id}">${name ?? lead.id}</a>`;
    return html`<tr><td>${link}</td><td>${mobile ?? phone}</td><td>${state.user(lead.ownerId).name}</td></tr>\n`;
  });
  return page(
    'Leads',
    html`<table>${rows.length > 0 ? rows : html`<tr><td>None yet.</td></tr>`}</table>
<h2>New lead</h2>
${leadForm(state, '/leads', 'Create')}`,
  );
}

export function leadPage(state: CrmBState, lead: Lead): Html {
  const record = leadRecord(state, lead);
  return page(
    String(record.Full_Name ?? lead.id),
    html`<p><a href="/leads">All leads</a> · <a href="/leads/${lead.id}">Reload</a></p>
${recordTable(record)}
<h2>Calls</h2>
${related(state, lead, 'Calls')}
<h2>Notes</h2>
${related(state, lead, 'Notes')}
<h2>Edit</h2>
${leadForm(state, `/leads/${lead.id}`, 'Save', record)}`,
  );
}

function related(state: CrmBState, lead: Lead, module: RelatedModule): Html | Html[] {
  const found = state.written.filter((each) => each.module === module && each.leadId === lead.id);
  return found.length > 0 ? found.map((each) => recordTable(writtenRecord(state, each))) : html`<p>None.</p>`;
}

function leadForm(state: CrmBState, action: string, button: string, values: Record<string, unknown> = {}): Html {
  const { id: ownerId } = (values.Owner ?? {}) as { id?: string };
  const users = state.users().map(({ id, name, org }) => ({ value: id, label: `${name} (${org})` }));
  const inputs = formNames.map(
    (name) => html`<tr><th><label for="${name}">${name.replaceAll('_', ' ')}</label></th>
<td><input id="${name}" name="${name}" value="${values[name]}"></td></tr>\n`,
  );
  return html`<form method="post" action="${action}"><table>${inputs}
<tr><th><label for="owner">Owner</label></th><td><select id="owner" name="owner">${options(users, ownerId)}</select></td></tr></table>
<button>${button}</button></form>`;
}

const recordTable = (record: Record<string, unknown>): Html =>
  valueTable(Object.fromEntries(Object.entries(record).map(([name, value]) => [name, linked(shown(value))])));

/** Shows a person by name, and any other object as JSON. */
function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return 'name' in value && value.name ? String(value.name) : JSON.stringify(value);
}

const ADDRESS = /(https?:\/\/[^\s"'<>]+)/;

/** Turns the addresses in a text into links, so that a note's recording is one click away. */
const linked = (text: string): Html[] | undefined =>
  text === ''
    ? undefined
    : text
        .split(ADDRESS)
        .map((part) => (ADDRESS.test(part) ? html`<a href="${part}" rel="noreferrer">${part}</a>` : html`${part}`));
