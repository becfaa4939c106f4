import { Readable } from 'node:stream';
import type { TicketContact, TicketFields } from '../../../shared/domain/after-call/tickets/help-desk-ticket.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { connectionIdFor } from '../../../shared/domain/ids.ts';
import type { CallWork } from '../../../shared/messages/call-work.ts';
import { type CreateTicketDeps, createTicket } from '../../../shared/operations/after-call/create-ticket.ts';
import { aResult } from './call.ts';
import { aFinishedCall, type FailedLookup, type Fates, finishedCall, untilDone } from './remote-writes.ts';
import { aConnection, aGrant, ORG } from './worlds/items.ts';

export const onlyTicket = { departmentId: '7000001', orgId: '60001' };
export const everything = {
  ...onlyTicket,
  tags: ['voice'],
  attach_call_recording: true,
  attach_full_transcript: true,
};

type Kind = 'contact' | 'ticket' | 'tags' | 'attachment' | 'comment';
type Contact = { id: string; org?: string | undefined; phone: string; isHidden?: boolean };
type Ticket = { id: string; org: string | undefined; fields: TicketFields; contact: TicketContact; status: string };

const complaint = aResult({ sentiment: 'negative', lead_intent: 'complaint', issue_summary: 'The box leaks.' });
const aTicketCall = (over: Partial<Call> = {}): Call =>
  aFinishedCall({ ticket_work: 'pending', analysis: { state: 'done', result: complaint }, ...over });

type Given = { call?: Partial<Call>; settings?: Connection['settings']; fates?: Fates<Kind> };

/** A finished call of a connection to the help desk, and a help desk with separate organizations. */
export function aHelpDesk({ call, settings = everything, fates }: Given = {}) {
  const first = aTicketCall(call);
  const connection_id = connectionIdFor(ORG, 'help-desk');
  const connections = [aConnection({ connection_id, type: 'help-desk', grant: aGrant(), settings })];
  const base = finishedCall<Kind>(first, { connections }, fates);
  const contacts: Contact[] = [];
  const tickets: Ticket[] = [];
  const [tags, files, comments]: [string[], string[], string[]] = [[], [], []];
  /** Answers to the next reads of a ticket that replace the usual ones. */
  const readings: (FailedLookup | 'gone')[] = [];
  const counts = { reads: 0 };
  const schedules = base.schedules<CallWork>();
  const isIn = (orgId: string | undefined, { org = '60001' }: { org?: string | undefined }) => orgId === org;
  const contactOf = (org: string | undefined, contact: TicketContact, phone: string): string => {
    if ('contactId' in contact) return contact.contactId;
    contacts.push({ id: `contact-${contacts.length}`, org, phone });
    return contacts.at(-1)?.id as string;
  };

  const deps: CreateTicketDeps = {
    ...base.common,
    helpDeskOrganizations: { list: async () => ({ kind: 'absent' }) },
    files: base.outside({
      getTranscript: async () => base.transcript(),
      recording: async () => ({
        contentType: 'audio/wav',
        contentLength: 4,
        open: async () => Readable.from(['RIFF']),
      }),
    }),
    accessTo: ({ settings: { orgId } = {} }) => ({
      host: 'https://desk.example',
      orgId: orgId as string | undefined,
      token: () => base.token(),
    }),
    contacts: base.outside<CreateTicketDeps['contacts']>({
      find: async ({ orgId }, phone) =>
        base.find(contacts.find((one) => isIn(orgId, one) && one.phone === phone && !one.isHidden)?.id),
      create: async ({ orgId: org }, { phone }) => {
        const id = `contact-${contacts.length}`;
        return base.write('contact', id, () => contacts.push({ id, org, phone }));
      },
    }),
    tickets: base.outside<CreateTicketDeps['tickets']>({
      create: async ({ orgId: org }, fields, contact) => {
        const known = 'contactId' in contact && contacts.find(({ id }) => id === contact.contactId);
        if (known && !isIn(org, known)) return { kind: 'refused', code: 'INVALID_DATA /contactId', status: 422 };
        const id = `ticket-${tickets.length}`;
        const outcome = await base.write('ticket', id, () => {
          const contactId = contactOf(org, contact, fields.phone);
          tickets.push({ id, org, fields, contact: { contactId }, status: 'Open' });
        });
        return { ...outcome, ...tickets.at(-1)?.contact };
      },
      find: async ({ orgId: org }, { subject, description, phone }, freeOf = async (ids) => ids) => {
        const failed = base.lookups.shift();
        if (failed) return failed;
        const same = tickets.filter(
          ({ fields, ...ticket }) =>
            isIn(org, ticket) &&
            fields.subject === subject &&
            fields.description === description &&
            fields.phone === phone,
        );
        const ids = same.length > 0 ? await freeOf(same.map(({ id }) => id)) : [];
        return ids.length > 0 ? { kind: 'found', ids } : { kind: 'absent' };
      },
      get: async (_access, id) => {
        counts.reads += 1;
        const failed = readings.shift();
        if (failed && failed !== 'gone') return failed;
        const ticket = failed ? undefined : tickets.find((each) => each.id === id);
        return ticket
          ? { kind: 'found', ticket: { id, ticketNumber: '101', status: ticket.status, priority: 'Low' } }
          : { kind: 'absent' };
      },
    }),
    followUps: base.outside<CreateTicketDeps['followUps']>({
      associateTags: async (_access, id, set) => base.write('tags', id, () => void tags.splice(0, tags.length, ...set)),
      attach: async (_access, id, { filename }) => base.write('attachment', `file-${id}`, () => files.push(filename)),
      comment: async (_access, id, content) => base.write('comment', `comment-${id}`, () => comments.push(content)),
      findAttachment: async (_access, id, filename) => base.find(files.includes(filename) ? `file-${id}` : undefined),
      findComment: async (_access, id, beginning) =>
        base.find(comments.some((content) => content.startsWith(beginning)) ? `comment-${id}` : undefined),
    }),
    ticketsQueue: base.workQueue,
    refreshAt: schedules.plan,
  };

  const run = (id = first.call_id) => createTicket(deps, id);
  const isDone = () => base.all('calls').every(({ ticket_work }) => ticket_work === 'done');
  const due = () => [...base.workQueue.due(), ...schedules.due()];
  return Object.assign(base, {
    ...{ deps, contacts, tickets, tags, files, comments, readings, counts, schedules, run },
    /** Adds another call with the same end. */
    addCall: (): string => {
      const call_id = `${first.call_id.slice(0, -1)}0`;
      base.putCall(aTicketCall({ call_id }));
      return call_id;
    },
    calls: () => base.all('calls').map(({ call_id }) => base.callOf(String(call_id))),
    made: () => tickets.length,
    untilDone: (hours?: number) => untilDone(base, { due, run, isDone }, hours),
  });
}

export type HelpDesk = ReturnType<typeof aHelpDesk>;
