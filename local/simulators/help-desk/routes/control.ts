import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import * as z from 'zod';
import type { SimulatorEnv } from '../../kit/app.ts';
import { controlBody, journalRoutes, settingsRoutes } from '../../kit/control-routes.ts';
import { commonFaultSchema } from '../../kit/faults.ts';
import { type Comment, contactFieldsSchema, defaultOrganization, type SeenRequest, type Ticket } from '../model.ts';
import { addContact, contactRecord } from '../rules/contacts.ts';
import { problems } from '../rules/problems.ts';
import { ticketRecord } from '../rules/ticket-records.ts';
import { changeTicket } from '../rules/tickets.ts';
import { settingsChangeSchema } from '../settings.ts';
import type { HelpDeskState } from '../state.ts';

const organizationSchema = z.strictObject({
  companyName: z.string().default('Another Support'),
  users: z.array(z.string()).nullable().default(null),
  isAccessible: z.boolean().default(true),
  departments: z
    .array(z.strictObject({ id: z.string(), name: z.string(), isEnabled: z.boolean().default(true) }))
    .default(defaultOrganization.departments),
  agents: z
    .array(z.strictObject({ id: z.string(), firstName: z.string(), lastName: z.string(), email: z.string() }))
    .default(defaultOrganization.agents),
});
const contactSchema = z.strictObject({ orgId: z.string().optional(), fields: contactFieldsSchema });
const nullableText = z.string().nullable().optional();
const changeSchema = z.strictObject({
  status: nullableText,
  priority: nullableText,
  classification: nullableText,
  assigneeId: nullableText,
  subject: z.string().optional(),
  description: nullableText,
  phone: nullableText,
});

export type OrganizationPut = z.input<typeof organizationSchema>;
export type ContactPut = z.input<typeof contactSchema>;
export type TicketPut = z.input<typeof changeSchema>;

export function controlRoutes(state: HelpDeskState): Hono<SimulatorEnv> {
  return new Hono<SimulatorEnv>()
    .route('/', journalRoutes(state.journal, commonFaultSchema))
    .route(
      '/',
      settingsRoutes(
        settingsChangeSchema,
        () => state.settings,
        (changes) => state.change(changes),
      ),
    )
    .route('/', organizationRoutes(state))
    .route('/', contactRoutes(state))
    .route('/', ticketRoutes(state))
    .post('/reset', (context) => {
      state.reset();
      return context.json({});
    });
}

const organizationRoutes = (state: HelpDeskState): Hono<SimulatorEnv> =>
  new Hono<SimulatorEnv>().put('/organizations/:id', async (context) => {
    const organization = { id: context.req.param('id'), ...(await controlBody(context, organizationSchema)) };
    state.organizations.set(organization.id, organization);
    return context.json(organization);
  });

const contactRoutes = (state: HelpDeskState): Hono<SimulatorEnv> =>
  new Hono<SimulatorEnv>()
    .get('/contacts', (context) => {
      const contacts = [...state.contacts.values()].map((each) => ({
        ...contactRecord(state, each),
        orgId: each.orgId,
      }));
      return context.json({ contacts });
    })
    .post('/contacts', async (context) => {
      const { orgId = defaultOrganization.id, fields } = await controlBody(context, contactSchema);
      return context.json({ id: addContact(state, orgId, fields).id });
    })
    .delete('/contacts/:id', (context) => context.json({ deleted: state.contacts.delete(context.req.param('id')) }));

const ticketRoutes = (state: HelpDeskState): Hono<SimulatorEnv> =>
  new Hono<SimulatorEnv>()
    .get('/tickets/:id?', (context) => {
      const id = context.req.param('id');
      const { phone, contactId, orgId } = context.req.query();
      const found = [...state.tickets.values()].filter(
        (ticket) =>
          (!id || ticket.id === id) &&
          (!phone || ticket.fields.phone === phone) &&
          (!contactId || ticket.contactId === contactId) &&
          (!orgId || ticket.orgId === orgId),
      );
      return context.json({ tickets: found.map((ticket) => ticketView(state, ticket)) });
    })
    .patch('/tickets/:id', async (context) => {
      const ticket = state.tickets.get(context.req.param('id'));
      if (!ticket) throw problems.notFound();
      const change = Object.entries(await controlBody(context, changeSchema));
      changeTicket(state, ticket, Object.fromEntries(change.filter(([, value]) => value !== undefined)));
      return context.json(ticketView(state, ticket));
    })
    .delete('/tickets/:id', (context) => context.json({ deleted: state.tickets.delete(context.req.param('id')) }));

type AttachmentView = {
  id: string;
  name: string;
  size: number;
  isPublic: boolean;
  /** The hash of the file, in hexadecimal. */
  sha256: string;
  /** The first 16 bytes of the file as Latin-1. A wav file begins with `RIFF`. */
  head: string;
};

/** A ticket as a test sees it: the record, its parts, and the request that created it. */
export type TicketView = ReturnType<typeof ticketRecord> & {
  orgId: string;
  comments: Comment[];
  attachments: AttachmentView[];
  tags: string[];
  request: SeenRequest | null;
};

function ticketView(state: HelpDeskState, ticket: Ticket): TicketView {
  return {
    ...ticketRecord(state, ticket),
    orgId: ticket.orgId,
    comments: ticket.comments,
    attachments: ticket.attachments.map(({ id, name, isPublic, bytes }) => ({
      id,
      name,
      isPublic,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      head: Buffer.from(bytes.subarray(0, 16)).toString('latin1'),
    })),
    tags: ticket.tags.map(({ name }) => name),
    request: state.journal.requests.find(({ number }) => number === ticket.requestNumber) ?? null,
  };
}
