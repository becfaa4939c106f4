import type { Hono } from 'hono';
import { html } from 'hono/html';
import { Problem } from '../../kit/answer.ts';
import { reply, type SimulatorContext, type SimulatorEnv } from '../../kit/app.ts';
import { readForm, textFields } from '../../kit/body.ts';
import type { Lead } from '../model.ts';
import { formNames, leadPage, leadsPage, page } from '../pages/leads.ts';
import { putLeads } from '../rules/leads.ts';
import type { CrmBState } from '../state.ts';

/** Adds the pages for people: all leads with a form for a new one, and each lead with its calls and notes. */
export function mountPages(app: Hono<SimulatorEnv>, state: CrmBState): void {
  const all = (context: SimulatorContext) => reply(context, { status: 200, html: leadsPage(state) });
  app.get('/', all);
  app.get('/leads', all);
  app.post('/leads', async (context) => reply(context, seeLead(putLead(state, await formOf(context)))));
  app.get('/leads/:id', (context) =>
    reply(context, { status: 200, html: leadPage(state, knownLead(state, context.req.param('id'))) }),
  );
  app.post('/leads/:id', async (context) => {
    const { id } = knownLead(state, context.req.param('id'));
    return reply(context, seeLead(putLead(state, await formOf(context), id)));
  });
  app.all('/leads/:id?', () => {
    throw new Problem({ status: 405, html: page('Method not allowed') });
  });
}

const formOf = async ({ req }: SimulatorContext) =>
  textFields(await readForm(req.header('content-type'), await req.arrayBuffer()));

function knownLead(state: CrmBState, id: string): Lead {
  const lead = state.leads.get(id);
  if (!lead)
    throw new Problem({ status: 404, html: page('No such lead', html`<p><a href="/leads">All leads</a></p>`) });
  return lead;
}

/** An empty input clears its field. */
function putLead(state: CrmBState, { owner, ...given }: Record<string, string>, id?: string): string | undefined {
  const fields = Object.fromEntries(formNames.map((name) => [name, given[name] || null]));
  return putLeads(state, [{ fields, ...(id && { id }), ...(owner && { owner }) }])[0];
}

const seeLead = (id: string | undefined) => ({ status: 303, headers: { location: `/leads/${id}` } });
