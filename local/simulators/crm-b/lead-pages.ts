import type { IncomingMessage } from 'node:http';
import { type Answer, Problem } from '../answer.ts';
import { formFields } from '../body.ts';
import { escapeHtml } from '../page.ts';
import { leadRecord, putLeads, writtenRecord } from './leads.ts';
import { page } from './page.ts';
import type { CrmBState, Lead, Simulator, Written } from './state.ts';

const formNames = ['First_Name', 'Last_Name', 'Mobile', 'Company', 'City', 'Lead_Source', 'Description'];

/** For people: the leads with a form for a new one, and a lead with a form to change it, its calls and its notes. */
export function serveLeadPages(simulator: Simulator, request: IncomingMessage, url: URL, text: string): Answer {
  const { state } = simulator;
  const id = url.pathname.split('/')[2];
  if (request.method === 'POST') {
    if (id) known(state, id);
    const { owner, ...given } = formFields(request.headers['content-type'], text);
    // What is left empty is empty: null, as the API shows it.
    const fields = Object.fromEntries(formNames.map((name) => [name, given[name] || null]));
    const [put] = putLeads(simulator, [{ fields, ...(id && { id }), ...(owner && { owner }) }]);
    return { status: 303, headers: { location: `/leads/${put}` } };
  }
  if (request.method !== 'GET') throw new Problem({ status: 405, html: page('Not that way', '') });
  return id ? { status: 200, html: leadPage(state, id) } : { status: 200, html: leadsPage(state) };
}

function leadsPage(state: CrmBState): string {
  const rows = [...state.leads.values()].reverse().map((lead) => {
    const { Full_Name: name, Mobile: mobile, Phone: phone } = leadRecord(state, lead);
    const link = `<a href="/leads/${encodeURIComponent(lead.id)}">${escapeHtml(name ?? lead.id)}</a>`;
    return `<tr><td>${link}</td><td>${escapeHtml(mobile ?? phone)}</td><td>${escapeHtml(state.user(lead.ownerId).name)}</td></tr>`;
  });
  return page(
    'Leads',
    `<table>${rows.join('\n') || '<tr><td>None yet.</td></tr>'}</table>
<h2>New lead</h2>
${form(state, '/leads', 'Create')}`,
  );
}

function form(state: CrmBState, action: string, button: string, values: Record<string, unknown> = {}): string {
  const { id: ownerId } = (values.Owner ?? {}) as { id?: string };
  const users = [...state.users.values()].map(
    ({ id, name, org }) =>
      `<option value="${escapeHtml(id)}"${id === ownerId ? ' selected' : ''}>${escapeHtml(`${name} (${org})`)}</option>`,
  );
  const inputs = formNames.map(
    (name) =>
      `<tr><th><label for="${name}">${name.replaceAll('_', ' ')}</label></th>
<td><input id="${name}" name="${name}" value="${escapeHtml(values[name])}"></td></tr>`,
  );
  return `<form method="post" action="${escapeHtml(action)}"><table>${inputs.join('\n')}
<tr><th><label for="owner">Owner</label></th><td><select id="owner" name="owner">${users.join('')}</select></td></tr></table>
<button>${button}</button></form>`;
}

function known(state: CrmBState, id: string): Lead {
  const lead = state.leads.get(id);
  if (!lead) throw new Problem({ status: 404, html: page('No such lead', '<p><a href="/leads">All leads</a></p>') });
  return lead;
}

function leadPage(state: CrmBState, id: string): string {
  const lead = known(state, id);
  const record = leadRecord(state, lead);
  const related = (module: 'Calls' | 'Notes') =>
    state.written.filter((each) => each.module === module && each.leadId === id).map((each) => entry(state, each));
  const none = '<p>None.</p>';
  return page(
    String(record.Full_Name ?? id),
    `<p><a href="/leads">All leads</a> · <a href="/leads/${encodeURIComponent(id)}">Look again</a></p>
${table(record)}
<h2>Calls</h2>
${related('Calls').join('\n') || none}
<h2>Notes</h2>
${related('Notes').join('\n') || none}
<h2>Change it</h2>
${form(state, `/leads/${encodeURIComponent(id)}`, 'Save', record)}`,
  );
}

const entry = (state: CrmBState, written: Written) => table(writtenRecord(state, written));

/** Fields that are set; people by name. */
function table(record: Record<string, unknown>): string {
  const rows = Object.entries(record)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(
      ([name, value]) => `<tr><th>${escapeHtml(name)}</th><td><pre>${linked(escapeHtml(shown(value)))}</pre></td></tr>`,
    );
  return `<table>${rows.join('\n')}</table>`;
}

/** In escaped text: ends at a space and at an escaped quote or bracket. */
const ADDRESS = /https?:\/\/(?:(?!&(?:quot|#39|lt|gt);)\S)+/g;

/** @param html escaped text. @returns it with its addresses as links: a note's recording is one click away. */
const linked = (html: string): string => html.replace(ADDRESS, '<a href="$&" rel="noreferrer">$&</a>');

function shown(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return 'name' in value && value.name ? value.name : JSON.stringify(value);
}
