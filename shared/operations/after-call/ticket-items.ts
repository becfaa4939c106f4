import { contactFields, type TicketFields, transcriptComment } from '../../domain/after-call/help-desk-ticket.ts';
import { isWritingOver } from '../../domain/after-call/remote-writing.ts';
import {
  callerName,
  type HelpDeskSettings,
  namesTranscript,
  ticketOf,
} from '../../domain/after-call/ticket-content.ts';
import {
  CONTACT_CLAIM_SECONDS,
  contactClaimKey,
  refreshTime,
  ticketClaimKey,
  ticketDeadlines,
  withTicket,
} from '../../domain/after-call/ticket-work.ts';
import type { Call, RemoteWrite, TicketItem } from '../../domain/calls/call.ts';
import { claimFor } from '../../domain/calls/claim.ts';
import { ReconnectNeeded } from '../../domain/connections/access-errors.ts';
import { type Connection, isConnected } from '../../domain/connections/connection.ts';
import { secondsAfter } from '../../domain/time/instants.ts';
import type { HelpDeskContacts } from '../../integrations/help-desk/contacts.ts';
import type { HelpDeskFollowUps } from '../../integrations/help-desk/follow-ups.ts';
import type { HelpDeskAccess } from '../../integrations/help-desk/help-desk.ts';
import type { HelpDeskTickets } from '../../integrations/help-desk/tickets.ts';
import type { CallFiles } from '../../stores/calls/call-files.ts';
import type { CallStore } from '../../stores/calls/calls.ts';
import type { ClaimStore } from '../../stores/calls/claims.ts';
import type { Transact, Write } from '../../stores/dynamodb/transaction.ts';
import type { Change } from '../../stores/dynamodb/update.ts';
import type { OrganizationStore } from '../../stores/organizations/organizations.ts';
import { accessForCall, organizationNow } from './ticket-organization.ts';
import { type LookUp, NotReady, type OnceItem, type Prepared } from './write-once.ts';

export type TicketItemDeps = {
  calls: Pick<CallStore, 'get' | 'changingTicketItem'>;
  claims: Pick<ClaimStore, 'owner' | 'owners' | 'taking' | 'takingSince'>;
  transact: Transact;
  organizations: Pick<OrganizationStore, 'get'>;
  files: Pick<CallFiles, 'getTranscript' | 'recording'>;
  accessTo: (connection: Connection) => HelpDeskAccess;
  contacts: HelpDeskContacts;
  tickets: HelpDeskTickets;
  followUps: HelpDeskFollowUps;
  now: () => Date;
  warn: (message: string, facts: { item: TicketItem; reason: string }) => void;
};

/** A finished call, and the help desk that is told of it. */
export type TicketCall = {
  call: Call & { finished_at: string };
  connectionId: string;
  connection: Connection | undefined;
  /** Undefined where they cannot be read any more. */
  settings: HelpDeskSettings | undefined;
};

/** BatchGetItem takes no more keys. */
const MOST_CANDIDATES = 100;

/** Whom the ticket is about: an existing contact of exactly that phone, or a new one. */
export function contactItem(deps: TicketItemDeps, told: TicketCall): OnceItem<TicketItem> {
  const { call } = told;
  const find = async () => findContact(deps, told, await accessOf(deps, told));
  return {
    ...common(call, 'ticket_contact', call.finished_at),
    find,
    prepare: async () => {
      const access = await accessOf(deps, told);
      const found = await findContact(deps, told, access);
      switch (found.kind) {
        case 'found':
          return { kind: 'settled', state: 'written', id: found.id };
        case 'refused':
          deps.warn('the help desk refuses to look for a contact', { item: 'ticket_contact', reason: found.code });
          return { kind: 'settled', state: 'failed', error: found.code };
        case 'unavailable':
          throw new NotReady(found.reason, found.retryAfterSeconds);
        case 'absent': {
          const contact = contactFields(callerName(call), call.phone_number);
          return { kind: 'request', send: () => deps.contacts.create(access, contact) };
        }
      }
    },
    change: (before, after) =>
      change(deps, told, 'ticket_contact', before, after, {
        ...(after?.state === 'asked' && { claim: claimingContact(deps, told) }),
      }),
  };
}

/** Refused where another call makes the contact of the same phone. */
function claimingContact({ claims, now }: TicketItemDeps, { call, connectionId }: TicketCall): Write {
  const claim = ownClaim(contactClaimKey(connectionId, call.phone_number), call, now());
  return claims.takingSince(claim, secondsAfter(claim.at, -CONTACT_CLAIM_SECONDS));
}

/** Searches lag, or are refused: whom another call has just made is known by that call's mark. */
async function findContact(deps: TicketItemDeps, told: TicketCall, access: HelpDeskAccess): Promise<LookUp> {
  const { call, connectionId } = told;
  const org = await deps.organizations.get(call.org_id);
  const found = await deps.contacts.find(access, call.phone_number, org?.default_region ?? '');
  if (found.kind === 'found' || found.kind === 'unavailable') return found;
  const owner = await deps.claims.owner(contactClaimKey(connectionId, call.phone_number));
  if (!owner || owner.owner_id === call.call_id || isOld(owner.at, deps.now())) return found;
  const { ticket_contact, ticket_organization } = (await deps.calls.get(owner.owner_id)) ?? {};
  if (ticket_contact?.id === undefined || ticket_organization !== organizationNow(told)) return found;
  return { kind: 'found', id: ticket_contact.id };
}

const isOld = (at: string, now: Date): boolean => at <= secondsAfter(now, -CONTACT_CLAIM_SECONDS);

/**
 * @param contact settled; where it has no id, the contact goes inline with the ticket. Then the ticket makes the contact, and
 * has to have the right to.
 */
export function ticketItem(deps: TicketItemDeps, told: TicketCall, contact: RemoteWrite): OnceItem<TicketItem> {
  const { call, connectionId } = told;
  let fields: TicketFields | undefined = call.ticket_fields;
  let inline: { contactId?: string | undefined } | undefined;
  return {
    ...common(call, 'ticket', call.finished_at),
    prepare: async () => {
      fields ??= await fieldsOf(deps, told);
      const [final, access] = [fields, await accessOf(deps, told)];
      const contactId = contact.id ?? (await madeMeanwhile(deps, told, access));
      if (contactId !== undefined)
        return { kind: 'request', send: () => deps.tickets.create(access, final, { contactId }) };
      const whom = { contact: contactFields(callerName(call), call.phone_number) };
      inline = {};
      const send = async () => {
        const outcome = await deps.tickets.create(access, final, whom);
        if (outcome.kind === 'written') inline = { contactId: outcome.contactId };
        return outcome;
      };
      return { kind: 'request', send };
    },
    find: async () => {
      if (!fields || !call.ticket) return { kind: 'refused', code: 'what was asked for is not known' };
      const asked = new Date(call.ticket.at);
      const access = await accessOf(deps, told);
      const wanted = { ...fields, contactId: contact.id, since: asked, until: asked };
      const found = await deps.tickets.find(access, wanted, (ids) => unclaimed(deps, told, ids));
      if (found.kind !== 'found') return found;
      const [id] = found.ids;
      return id === undefined ? { kind: 'absent' } : { kind: 'found', id };
    },
    change: (before, after) => {
      if (after?.state === 'asked') {
        const claim = inline && claimingContact(deps, told);
        return change(deps, told, 'ticket', before, after, {
          more: { set: { ticket_fields: fields } },
          ...(claim && { claim }),
        });
      }
      if (!after) return change(deps, told, 'ticket', before, after);
      if (after.id === undefined)
        return change(deps, told, 'ticket', before, after, { more: { remove: ['ticket_fields'] } });
      const made = inline?.contactId && { ticket_contact: { state: 'written', at: after.at, id: inline.contactId } };
      const set = { ...createdTicket(call, after, after.id, fields), ...made };
      // Refused where another call has the ticket: this one's is another, which is looked for next.
      const claim = deps.claims.taking(ownClaim(ticketClaimKey(connectionId, after.id), call, deps.now()));
      return change(deps, told, 'ticket', before, after, { more: { set, remove: ['ticket_fields'] }, claim });
    },
  };
}

/** Whether another call, or this one's own first try, has made the contact since this one could not. */
async function madeMeanwhile(
  deps: TicketItemDeps,
  told: TicketCall,
  access: HelpDeskAccess,
): Promise<string | undefined> {
  // Looked for in this very turn.
  if (!told.call.ticket_contact || told.call.ticket_contact.state === 'asked') return undefined;
  const found = await findContact(deps, told, access);
  const isGivenUp = isWritingOver(told.call.finished_at, deps.now(), ticketDeadlines.ticket_contact);
  if (found.kind === 'unavailable' && !isGivenUp) throw new NotReady(found.reason, found.retryAfterSeconds);
  return found.kind === 'found' ? found.id : undefined;
}

const createdTicket = (call: Call, { at }: RemoteWrite, id: string, fields: TicketFields | undefined) => ({
  ticket_refresh_at: refreshTime(at),
  metadata: withTicket(call.metadata, { id, status: 'Open', priority: fields?.priority }),
});

/** Of tickets that say the same, those that no call has. */
async function unclaimed(
  { claims }: TicketItemDeps,
  { connectionId }: TicketCall,
  ids: readonly string[],
): Promise<string[]> {
  const keyOf = (id: string) => ticketClaimKey(connectionId, id);
  const some = ids.slice(0, MOST_CANDIDATES);
  const owners = await claims.owners(some.map(keyOf));
  const free = some.filter((id) => !owners.has(keyOf(id)));
  if (free.length === 0 && ids.length > some.length) throw new NotReady('too many tickets say the same');
  return free;
}

async function fieldsOf(deps: TicketItemDeps, { call, settings }: TicketCall): Promise<TicketFields> {
  if (!settings) throw new NotReady('the settings of the help-desk connection cannot be read');
  return ticketOf(call, settings, namesTranscript(settings) ? await transcriptOf(deps, call) : undefined);
}

async function transcriptOf(deps: TicketItemDeps, { transcript_key }: Call): Promise<string | undefined> {
  if (!transcript_key) return undefined;
  return deps.files.getTranscript(transcript_key).catch((error: Error) => {
    // It must not stand in the way of the call's end for ever.
    throw new NotReady(`the transcript cannot be read: ${error.name}`);
  });
}

/** What follows upon a ticket. What was never asked for comes first: a look-up must not hold up the others for ever. */
export function followUpItems(deps: TicketItemDeps, told: TicketCall, ticket: RemoteWrite): OnceItem<TicketItem>[] {
  const items = [tagsItem, recordingItem, transcriptItem].map((make) => make(deps, told, ticket, ticket.id ?? ''));
  const isAsked = ({ known }: OnceItem<TicketItem>) => known?.state === 'asked';
  return [...items.filter((item) => !isAsked(item)), ...items.filter(isAsked)];
}

type MakeFollowUp = (
  deps: TicketItemDeps,
  told: TicketCall,
  ticket: RemoteWrite,
  ticketId: string,
) => OnceItem<TicketItem>;

/** Without a look-up: the same tags once more change nothing. */
const tagsItem: MakeFollowUp = (deps, told, ticket, ticketId) => ({
  ...common(told.call, 'ticket_tags', ticket.at),
  ...changing(deps, told, 'ticket_tags'),
  prepare: async () => {
    const { tags = [] } = told.settings ?? {};
    if (tags.length === 0) return NONE;
    const access = await accessOf(deps, told);
    return { kind: 'request', send: () => deps.followUps.associateTags(access, ticketId, tags) };
  },
});

const recordingItem: MakeFollowUp = (deps, told, ticket, ticketId) => {
  const { call, settings } = told;
  const { state, key, error } = call.recording ?? {};
  const filename = `${call.call_id}.${key?.endsWith('.mp3') ? 'mp3' : 'wav'}`;
  return {
    ...common(call, 'ticket_recording', ticket.at),
    ...changing(deps, told, 'ticket_recording'),
    prepare: async () => {
      if (!settings?.attach_call_recording) return NONE;
      if (state !== 'stored' || key === undefined)
        return { kind: 'settled', state: 'failed', error: error ?? 'the call has no recording' };
      const file = await deps.files.recording(key).catch((failure: Error) => {
        throw new NotReady(`the recording cannot be read: ${failure.name}`);
      });
      const access = await accessOf(deps, told);
      return { kind: 'request', send: () => deps.followUps.attach(access, ticketId, { filename, ...file }) };
    },
    find: async () => deps.followUps.findAttachment(await accessOf(deps, told), ticketId, filename),
  };
};

const transcriptItem: MakeFollowUp = (deps, told, ticket, ticketId) => {
  const { call, settings } = told;
  const heading = `Transcript of ${call.call_id}:`;
  return {
    ...common(call, 'ticket_transcript', ticket.at),
    ...changing(deps, told, 'ticket_transcript'),
    prepare: async () => {
      if (!settings?.attach_full_transcript) return NONE;
      const transcript = (await transcriptOf(deps, call))?.trim();
      if (!transcript) return { kind: 'settled', state: 'failed', error: 'the call has no transcript' };
      const access = await accessOf(deps, told);
      const content = transcriptComment(`${heading}\n${transcript}`);
      return { kind: 'request', send: () => deps.followUps.comment(access, ticketId, content) };
    },
    find: async () => deps.followUps.findComment(await accessOf(deps, told), ticketId, heading),
  };
};

/** The one look at what became of the ticket, a quarter of an hour later; its result stands in the call's metadata. */
export function refreshItem(deps: TicketItemDeps, told: TicketCall, ticket: RemoteWrite): OnceItem<TicketItem> {
  const { call } = told;
  const ticketId = ticket.id ?? '';
  let metadata: Call['metadata'];
  return {
    ...common(call, 'ticket_refresh', call.ticket_refresh_at ?? refreshTime(ticket.at)),
    prepare: async () => {
      const answer = await deps.tickets.get(await accessOf(deps, told), ticketId);
      switch (answer.kind) {
        case 'found':
          // A ticket that was merged into another answers with that one's id.
          metadata = withTicket(call.metadata, { ...answer.ticket, id: ticketId });
          return { kind: 'settled', state: 'written', id: ticketId };
        case 'absent':
          return { kind: 'settled', state: 'failed', error: 'the ticket is gone' };
        case 'refused':
          deps.warn('the help desk refuses to show a ticket', { item: 'ticket_refresh', reason: answer.code });
          return { kind: 'settled', state: 'failed', error: answer.code };
        case 'unavailable':
          throw new NotReady(answer.reason, answer.retryAfterSeconds);
      }
    },
    change: (before, after) =>
      change(deps, told, 'ticket_refresh', before, after, { more: { ...(metadata && { set: { metadata } }) } }),
  };
}

const NONE: Prepared = { kind: 'settled', state: 'none' };

const common = (call: Call, name: TicketItem, since: string) => ({ name, known: call[name], since });

const changing = (deps: TicketItemDeps, told: TicketCall, name: TicketItem): Pick<OnceItem<TicketItem>, 'change'> => ({
  change: (before, after) => change(deps, told, name, before, after),
});

const ownClaim = (key: string, { call_id }: Call, now: Date) =>
  claimFor(key, { ownerId: call_id, callId: call_id, now });

/** @returns false where the mark has changed since, or the claim is another call's. */
async function change(
  { calls, transact }: TicketItemDeps,
  told: TicketCall,
  name: TicketItem,
  before: RemoteWrite | undefined,
  after: RemoteWrite | undefined,
  { more, claim }: { more?: Change; claim?: Write } = {},
): Promise<boolean> {
  const { call_id, ticket_organization = organizationNow(told) } = told.call;
  const set = { ...more?.set, ...(after && ticket_organization !== undefined && { ticket_organization }) };
  const mark = calls.changingTicketItem(call_id, name, before, after, { ...more, set });
  return (await transact({ mark, claim }, { decidedBy: ['mark', 'claim'] })).committed;
}

/** @returns an access that has a token: without one nothing is asked for. @throws ReconnectNeeded, AccessUnavailable, AskedElsewhere. */
async function accessOf(deps: TicketItemDeps, told: TicketCall): Promise<HelpDeskAccess> {
  const { connection } = told;
  if (!connection || !isConnected(connection)) throw new ReconnectNeeded('the help desk is not connected');
  const access = accessForCall(deps.accessTo(connection), told);
  await access.token();
  return access;
}
