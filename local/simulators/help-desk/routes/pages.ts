import type { Hono } from 'hono';
import { html } from 'hono/html';
import { type Answer, Problem } from '../../kit/answer.ts';
import { reply, type SimulatorContext, type SimulatorEnv } from '../../kit/app.ts';
import { readForm, textFields } from '../../kit/body.ts';
import type { Ticket } from '../model.ts';
import { isWav, page, ticketPage, ticketsPage } from '../pages/tickets.ts';
import { changeTicket } from '../rules/tickets.ts';
import type { HelpDeskState } from '../state.ts';

/** Adds the pages for people: all tickets, and each ticket with its parts, its files and a form. */
export function mountPages(app: Hono<SimulatorEnv>, state: HelpDeskState): void {
  const all = (context: SimulatorContext) =>
    reply(context, { status: 200, html: ticketsPage(state, context.req.query('contactId')) });
  app.get('/', all);
  app.get('/tickets', all);
  app.get('/tickets/:id', (context) =>
    reply(context, { status: 200, html: ticketPage(state, knownTicket(state, context.req.param('id'))) }),
  );
  app.post('/tickets/:id', async (context) => {
    const { req } = context;
    const ticket = knownTicket(state, req.param('id'));
    const form = textFields(await readForm(req.header('content-type'), await req.arrayBuffer()));
    return reply(context, saveTicket(state, ticket, form));
  });
  app.get('/tickets/:id/attachments/:attachmentId', (context) => {
    const { id, attachmentId } = context.req.param();
    return reply(context, file(knownTicket(state, id), attachmentId));
  });
  app.all('/tickets/*', () => {
    throw notFound();
  });
}

const notFound = () =>
  new Problem({ status: 404, html: page('No such ticket', html`<p><a href="/tickets">All tickets</a></p>`) });

function knownTicket(state: HelpDeskState, id: string): Ticket {
  const ticket = state.tickets.get(id);
  if (!ticket) throw notFound();
  return ticket;
}

/** An empty input clears its field. */
function saveTicket(state: HelpDeskState, ticket: Ticket, form: Record<string, string>): Answer {
  const { status, priority, assigneeId } = form;
  const location = `/tickets/${ticket.id}`;
  if (status === undefined || !Object.hasOwn(state.settings.statuses, status))
    throw new Problem({ status: 400, html: page('No such status', html`<p><a href="${location}">The ticket</a></p>`) });
  changeTicket(state, ticket, { status, priority: priority || null, assigneeId: assigneeId || null });
  return { status: 303, headers: { location } };
}

/** Shows only sound in the browser. Any other file is a download, whatever its name. */
function file({ attachments }: Ticket, id: string): Answer {
  const found = attachments.find((each) => each.id === id);
  if (!found) throw notFound();
  const name = `filename*=UTF-8''${encodeURIComponent(found.name)}`;
  return {
    status: 200,
    bytes: found.bytes,
    headers: {
      'content-type': isWav(found.name) ? 'audio/wav' : 'application/octet-stream',
      'content-disposition': `${isWav(found.name) ? 'inline' : 'attachment'}; ${name}`,
      'content-length': String(found.bytes.length),
      'x-content-type-options': 'nosniff',
    },
  };
}
