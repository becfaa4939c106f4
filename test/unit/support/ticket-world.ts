import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import type { TicketContact, TicketFields } from '../../../shared/domain/after-call/help-desk-ticket.ts';
import type { Call, RemoteWrite } from '../../../shared/domain/calls/call.ts';
import { ReconnectNeeded } from '../../../shared/domain/connections/access-errors.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { connectionIdFor } from '../../../shared/domain/ids.ts';
import type { HelpDeskWrite, Refused, Unavailable } from '../../../shared/integrations/help-desk/help-desk.ts';
import { type CreateTicketDeps, createTicket } from '../../../shared/operations/after-call/create-ticket.ts';
import type { Write } from '../../../shared/stores/dynamodb/transaction.ts';
import { aCall } from './call.ts';

export const finished_at = '2026-03-02T06:10:00.000Z';

export const aFinishedCall = (over: Partial<Call> = {}): Call =>
  aCall({
    status: 'completed',
    unfinished: 'ended',
    started_at: '2026-03-02T06:01:00.000Z',
    ended_at: '2026-03-02T06:02:30.000Z',
    duration: 90,
    transcript_key: 'transcripts/org/call.txt',
    recording: { state: 'stored', key: 'recordings/org/call.wav' },
    finished_at,
    ticket_work: 'pending',
    analysis: {
      state: 'done',
      result: {
        summary: 'The box leaks.',
        success_eval: 'success',
        sentiment: 'negative',
        structured_data: {},
        lead_intent: 'complaint',
        issue_summary: 'The box leaks.',
        do_not_call: false,
      },
    },
    ...over,
  });

const everything = {
  departmentId: '7000001',
  orgId: '60001',
  tags: ['voice'],
  attach_call_recording: true,
  attach_full_transcript: true,
};
export const onlyTicket = { departmentId: '7000001', orgId: '60001' };

/** The worker is gone at this point: nothing after it happens, and nobody catches it. */
class Death extends Error {}

/** What happens at the desk to one request to write, in place of what should. */
export type Fate = 'lost' | 'done, answer lost' | 'refused' | '429' | 'reconnect';
export type What = 'contact' | 'ticket' | 'tags' | 'attachment' | 'comment';
type Ticket = {
  id: string;
  org: string | undefined;
  fields: TicketFields;
  whom: TicketContact;
  at: string;
  status: string;
};
/** A write of the store, as the world carries it out: nothing, where its condition does not hold. */
type Act = { holds: () => boolean; act: () => void };

/** A world with a desk that keeps what is written, stores that keep their conditions, and a queue that knows the time. */
export function aTicketWorld(over: Partial<Call> = {}, settings: Record<string, unknown> = everything) {
  const first = aFinishedCall(over);
  const world = {
    calls: new Map([[first.call_id, first]]),
    claims: new Map<string, { owner_id: string; at: string }>(),
    contacts: [] as { id: string; org?: string | undefined; phone: string; isHidden?: boolean }[],
    tickets: [] as Ticket[],
    tags: [] as string[],
    files: [] as string[],
    comments: [] as string[],
    reads: 0,
    now: Date.parse(finished_at),
    fates: [] as [What, Fate][],
    looks: [] as (Unavailable | Refused)[],
    reading: [] as (Unavailable | Refused | 'gone')[],
    warned: [] as string[],
    asked: [] as What[],
    /** Steps until the worker dies, before or after what the step does. */
    diesAt: Number.POSITIVE_INFINITY,
    steps: 0,
    queue: [] as { at: number; callId: string }[],
    schedules: new Map<string, { at: number; callId: string }>(),
    token: (): Promise<string> => Promise.resolve('token'),
    connection: {
      connection_id: connectionIdFor(first.org_id, 'help-desk'),
      type: 'help-desk',
      grant: {},
      settings,
    } as unknown as Connection | undefined,
    transcript: (): Promise<string | undefined> => Promise.resolve('Asha: Namaste.'),
  };
  const call = (id: string): Call => {
    const found = world.calls.get(id);
    if (!found) throw new Error(`no call ${id}`);
    return found;
  };
  const set = (id: string, change: Partial<Call>) => world.calls.set(id, { ...call(id), ...change });

  /** Every step of the worker towards outside: it may die before it, and after it. */
  const step = async <T>(act: () => T | Promise<T>): Promise<T> => {
    world.steps += 1;
    if (world.steps === world.diesAt) throw new Death();
    const result = await act();
    world.steps += 1;
    if (world.steps === world.diesAt) throw new Death();
    return result;
  };

  const befalls = (what: What): Fate | undefined => {
    const index = world.fates.findIndex(([whom]) => whom === what);
    return index < 0 ? undefined : world.fates.splice(index, 1)[0]?.[1];
  };
  const write = (what: What, id: string, act: () => void): HelpDeskWrite<{ contactId?: string }> => {
    world.asked.push(what);
    const fate = befalls(what);
    if (fate === '429') return { kind: 'unavailable', reason: 'TOO_MANY_REQUESTS' };
    if (fate === 'refused') return { kind: 'refused', code: 'INVALID_DATA', status: 422 };
    if (fate === 'reconnect') throw new ReconnectNeeded('revoked');
    if (fate === 'lost') return { kind: 'unknown', reason: 'reset' };
    act();
    return fate === 'done, answer lost' ? { kind: 'unknown', reason: 'reset' } : { kind: 'written', id };
  };
  const contactOf = (org: string | undefined, whom: TicketContact, phone: string): string => {
    if ('contactId' in whom) return whom.contactId;
    const id = `contact-${world.contacts.length}`;
    world.contacts.push({ id, org, phone });
    return id;
  };
  /** Organizations do not see what is another's. */
  const isIn = (orgId: string | undefined, { org = '60001' }: { org?: string | undefined }) => orgId === org;
  const asWrite = (act: Act) => act as unknown as Write;
  const claimed = (claim: string) => world.claims.get(claim);

  const deps: CreateTicketDeps = {
    calls: {
      get: (id) => step(() => structuredClone(world.calls.get(id))),
      takeTurn: (_kind, id, turn) =>
        step(() => {
          const { ticket_work, finished_at: finished, ticket_after: after } = call(id);
          if (ticket_work !== 'pending' || !finished || (after && after > turn.now)) return false;
          set(id, { ticket_after: turn.until, progress_at: turn.now });
          return true;
        }),
      endTurn: (_kind, id, turn, { at, error }) =>
        step(() => {
          if (call(id).ticket_after !== turn.until) return false;
          set(id, { ticket_after: at, ticket_error: error });
          return true;
        }),
      changingTicketItem: (id, item, before, after, more) =>
        asWrite({
          holds: () => JSON.stringify(sorted(call(id)[item])) === JSON.stringify(sorted(before)),
          act: () => {
            const removed = Object.fromEntries((more?.remove ?? []).map((name) => [name, undefined]));
            set(id, { ...more?.set, ...removed, [item]: after });
          },
        }),
      completeWork: (_kind, id) =>
        step(() => {
          if (call(id).ticket_work !== 'pending') return false;
          set(id, { ticket_work: 'done', ticket_error: undefined });
          return true;
        }),
    },
    claims: {
      owner: (claim) => step(() => claimed(claim)),
      owners: (keys) =>
        step(() => new Map(keys.flatMap((key) => (claimed(key) ? [[key, claimed(key)?.owner_id ?? '']] : [])))),
      taking: ({ claim, owner_id, at }) =>
        asWrite({ holds: () => !claimed(claim), act: () => world.claims.set(claim, { owner_id, at }) }),
      takingSince: ({ claim, owner_id, at }, until) =>
        asWrite({
          holds: () => {
            const owner = claimed(claim);
            return !owner || owner.owner_id === owner_id || owner.at <= until;
          },
          act: () => world.claims.set(claim, { owner_id, at }),
        }),
    },
    transact: (writes) =>
      step(() => {
        const acts = Object.entries(writes).filter(([, each]) => each) as unknown as [string, Act][];
        const refused = acts.filter(([, { holds }]) => !holds());
        if (refused.length > 0)
          return { committed: false, refused: Object.fromEntries(refused.map(([name]) => [name, {}])) } as never;
        for (const [, { act }] of acts) act();
        return { committed: true };
      }),
    connections: { get: () => step(() => world.connection) },
    // Asked for only where the connection names none.
    grants: { noteOrganizations: async () => true },
    helpDeskOrganizations: { list: async () => ({ kind: 'absent' }) },
    organizations: { get: async () => ({ default_region: 'IN' }) as never },
    files: {
      getTranscript: () => step(() => world.transcript()),
      recording: () =>
        step(() => ({ contentType: 'audio/wav', contentLength: 4, open: async () => Readable.from(['RIFF']) })),
    },
    accessTo: ({ settings: { orgId } = {} }) => ({
      host: 'https://desk.example',
      orgId: orgId as string | undefined,
      token: () => world.token(),
    }),
    contacts: {
      find: ({ orgId }, phone) =>
        step(() => {
          const spoilt = world.looks.shift();
          if (spoilt) return spoilt;
          const found = world.contacts.find(
            (contact) => isIn(orgId, contact) && contact.phone === phone && !contact.isHidden,
          );
          return found ? { kind: 'found', id: found.id } : { kind: 'absent' };
        }),
      create: ({ orgId: org }, { phone }) =>
        step(() => {
          const id = `contact-${world.contacts.length}`;
          return write('contact', id, () => world.contacts.push({ id, org, phone }));
        }),
    },
    tickets: {
      create: ({ orgId: org }, fields, whom) =>
        step(() => {
          const contact = 'contactId' in whom && world.contacts.find(({ id }) => id === whom.contactId);
          if (contact && !isIn(org, contact)) return { kind: 'refused', code: 'INVALID_DATA /contactId', status: 422 };
          const id = `ticket-${world.tickets.length}`;
          const outcome = write('ticket', id, () => {
            const contactId = contactOf(org, whom, fields.phone);
            const at = new Date(world.now).toISOString();
            world.tickets.push({ id, org, fields, whom: { contactId }, at, status: 'Open' });
          });
          return { ...outcome, ...world.tickets.at(-1)?.whom };
        }),
      find: ({ orgId: org }, { subject, description, phone }, freeOf = async (ids) => ids) =>
        step(async () => {
          const spoilt = world.looks.shift();
          if (spoilt) return spoilt;
          const same = world.tickets
            .filter(
              ({ fields, ...ticket }) =>
                isIn(org, ticket) &&
                fields.subject === subject &&
                fields.description === description &&
                fields.phone === phone,
            )
            .map(({ id }) => id);
          const ids = same.length > 0 ? await freeOf(same) : [];
          return ids.length > 0 ? { kind: 'found', ids } : { kind: 'absent' };
        }),
      get: (_access, id) =>
        step(() => {
          world.reads += 1;
          const spoilt = world.reading.shift();
          if (spoilt && spoilt !== 'gone') return spoilt;
          const ticket = spoilt ? undefined : world.tickets.find((each) => each.id === id);
          return ticket
            ? { kind: 'found', ticket: { id, ticketNumber: '101', status: ticket.status, priority: 'Low' } }
            : { kind: 'absent' };
        }),
    },
    followUps: {
      associateTags: (_access, id, tags) => step(() => write('tags', id, () => void world.tags.splice(0, 9, ...tags))),
      attach: (_access, id, { filename }) =>
        step(() => write('attachment', `file-${id}`, () => world.files.push(filename))),
      comment: (_access, id, content) =>
        step(() => write('comment', `comment-${id}`, () => world.comments.push(content))),
      findAttachment: (_access, id, filename) =>
        step(() => {
          const spoilt = world.looks.shift();
          if (spoilt) return spoilt;
          return world.files.includes(filename) ? { kind: 'found', id: `file-${id}` } : { kind: 'absent' };
        }),
      findComment: (_access, id, beginning) =>
        step(() => {
          const spoilt = world.looks.shift();
          if (spoilt) return spoilt;
          const isThere = world.comments.some((content) => content.startsWith(beginning));
          return isThere ? { kind: 'found', id: `comment-${id}` } : { kind: 'absent' };
        }),
    },
    ticketsQueue: {
      send: ({ call_id }, delay = 0) =>
        step(() => void world.queue.push({ at: world.now + delay * 1000, callId: call_id })),
      sendMany: async () => undefined,
    },
    refreshAt: (at, name, { call_id }) =>
      step(() => {
        if (!world.schedules.has(name)) world.schedules.set(name, { at: at.getTime(), callId: call_id });
      }),
    now: () => new Date(world.now),
    stopwatch: () => world.now,
    random: () => 0,
    warn: (message, { connection_id, item, reason }) => {
      expect(connection_id).toBe(connectionIdFor(first.org_id, 'help-desk'));
      world.warned.push(`${message}: ${item}, ${reason}`);
    },
  };

  const run = async (id = first.call_id): Promise<string> => {
    try {
      return await createTicket(deps, id);
    } catch (error) {
      if (error instanceof Death) return 'died';
      throw error;
    }
  };
  const isDone = () => [...world.calls.values()].every(({ ticket_work }) => ticket_work === 'done');
  /** Time passes, and every message, schedule and run of recover-calls does its work, until the calls are done. */
  const untilDone = async (hours = 80) => {
    for (let minutes = 0; minutes < hours * 60 && !isDone(); minutes += 1) {
      const scheduled = [...world.schedules.values()].filter(({ at }) => at <= world.now && at > world.now - 60_000);
      const due = [...world.queue.filter(({ at }) => at <= world.now), ...scheduled];
      world.queue = world.queue.filter(({ at }) => at > world.now);
      for (const { callId } of due) await run(callId);
      if (minutes % 5 === 0) for (const id of world.calls.keys()) await run(id);
      world.now += 60_000;
    }
  };
  const pass = (seconds: number) => {
    world.now += seconds * 1000;
  };
  return { world, deps, run, untilDone, pass, call: () => call(first.call_id), set, id: first.call_id };
}

const sorted = (mark: RemoteWrite | undefined): object | undefined =>
  mark && Object.fromEntries(Object.entries(mark).sort());
