import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { type Answer, Problem } from '../answer.ts';
import { parsed } from '../body.ts';
import { commonFaultSchema } from '../faults.ts';
import { problems } from './answers.ts';
import { addContact, contactFieldsSchema, contactRecord } from './contacts.ts';
import { settingsChangeSchema } from './settings.ts';
import { type Comment, defaultOrganization, type SeenRequest, type Simulator, type Ticket } from './state.ts';
import { changeTicket, ticketRecord } from './tickets.ts';

const organizationSchema = z.strictObject({
  companyName: z.string().default('Another Support'),
  /** Users of the accounts server; null: everyone who belongs to no other. */
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
const text = z.string().nullable().optional();
const changeSchema = z.strictObject({
  status: text,
  priority: text,
  classification: text,
  assigneeId: text,
  subject: z.string().optional(),
  description: text,
  phone: text,
});

export type OrganizationPut = z.input<typeof organizationSchema>;
export type ContactPut = z.input<typeof contactSchema>;
export type TicketPut = z.input<typeof changeSchema>;

/** Telling the simulator what to do, and asking what happened. Not part of the vendor's API. */
export function serveControl(simulator: Simulator, request: IncomingMessage, url: URL, body: string): Answer {
  const { state } = simulator;
  const [, resource, name = ''] = url.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  const value = parsed(body);
  const ok = (json: unknown): Answer => ({ status: 200, json });
  switch (`${request.method} ${resource}`) {
    case 'PUT organizations': {
      const organization = { id: name, ...parse(organizationSchema, value) };
      state.organizations.set(name, organization);
      return ok(organization);
    }
    case 'GET organizations':
      return ok({ organizations: [...state.organizations.values()] });
    case 'DELETE organizations':
      state.organizations.delete(name);
      return ok({});
    case 'PUT settings':
      state.change(parse(settingsChangeSchema, value));
      return ok(state.settings);
    case 'GET settings':
      return ok(state.settings);
    case 'POST contacts': {
      const { orgId = defaultOrganization.id, fields } = parse(contactSchema, value);
      return ok({ id: addContact(state, orgId, fields).id });
    }
    case 'GET contacts': {
      const contacts = [...state.contacts.values()].map((each) => ({
        ...contactRecord(simulator, each),
        orgId: each.orgId,
      }));
      return ok({ contacts });
    }
    case 'DELETE contacts':
      return ok({ deleted: state.contacts.delete(name) });
    case 'GET tickets': {
      const [phone, contactId, orgId] = ['phone', 'contactId', 'orgId'].map((key) => url.searchParams.get(key));
      const found = [...state.tickets.values()].filter(
        (ticket) =>
          (!name || ticket.id === name) &&
          (!phone || ticket.fields.phone === phone) &&
          (!contactId || ticket.contactId === contactId) &&
          (!orgId || ticket.orgId === orgId),
      );
      return ok({ tickets: found.map((ticket) => ticketView(simulator, ticket)) });
    }
    case 'PATCH tickets': {
      const ticket = state.tickets.get(name);
      if (!ticket) throw problems.notFound();
      const change = Object.entries(parse(changeSchema, value)).filter(([, given]) => given !== undefined);
      changeTicket(state, ticket, Object.fromEntries(change));
      return ok(ticketView(simulator, ticket));
    }
    case 'DELETE tickets':
      return ok({ deleted: state.tickets.delete(name) });
    case 'GET requests': {
      const route = url.searchParams.get('route');
      return ok({ requests: state.requests.filter((seen) => route === null || seen.route === route) });
    }
    case 'GET most-in-flight':
      return ok(Object.fromEntries(state.inFlight.most));
    case 'POST faults':
      state.faults.push({ ...parse(commonFaultSchema, value), skipped: 0, befell: 0 });
      return ok({});
    case 'GET faults':
      return ok({ faults: state.faults });
    case 'DELETE faults':
      state.faults = [];
      return ok({});
    case 'POST reset':
      state.reset();
      return ok({});
    default:
      throw problems.notFound();
  }
}

type AttachmentView = {
  id: string;
  name: string;
  size: number;
  isPublic: boolean;
  /** Of its bytes, in hexadecimal. */
  sha256: string;
  /** The first 16 bytes as Latin-1: `RIFF` begins a wav file. */
  head: string;
};

/** A ticket as a test sees it: the record, what hangs on it, and the request that made it. */
export type TicketView = ReturnType<typeof ticketRecord> & {
  orgId: string;
  comments: Comment[];
  attachments: AttachmentView[];
  tags: string[];
  request: SeenRequest | null;
};

function ticketView(simulator: Simulator, ticket: Ticket): TicketView {
  return {
    ...ticketRecord(simulator, ticket),
    orgId: ticket.orgId,
    comments: ticket.comments,
    attachments: ticket.attachments.map(({ id, name, isPublic, bytes }) => ({
      id,
      name,
      isPublic,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      head: bytes.toString('latin1', 0, 16),
    })),
    tags: ticket.tags.map(({ name }) => name),
    request: simulator.state.requests.find(({ number }) => number === ticket.requestNumber) ?? null,
  };
}

function parse<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new Problem({ status: 400, json: { errorCode: 'BAD_REQUEST', message: z.prettifyError(result.error) } });
}
