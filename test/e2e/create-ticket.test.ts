import { createHash } from 'node:crypto';
import { DeleteScheduleCommand } from '@aws-sdk/client-scheduler';
import type { Call } from '../../shared/domain/calls/call.ts';
import { helpDeskScopes } from '../../shared/domain/connections/oauth-scopes.ts';
import { done } from '../support/cli.ts';
import { AUDIO } from '../support/finished-call.ts';
import {
  aHelpDeskConnection,
  anAnalysis,
  aTicketCall,
  departmentId,
  disconnect,
  grantTo,
  queueTicket,
} from '../support/help-desk.ts';
import { anOrg, stores, type TestOrg } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import {
  eventually,
  helpDesk,
  inTime,
  named,
  passTime,
  recoverCalls,
  scheduler,
  workersAreIdle,
} from '../support/stack.ts';

const TICKETS = 'POST /api/v1/tickets';
const QUARTER_SECONDS = 15 * 60;

/** Waits until at most the refresh remains. */
const ticketed = async (callId: string): Promise<Call> =>
  (await eventually(
    () => stores.calls.get(callId),
    (call) =>
      call?.ticket_work === 'done' ||
      (call?.ticket_refresh_at !== undefined && call.ticket_after === call.ticket_refresh_at),
  )) as Call;
/** Passes time and runs recover-calls. */
const doneInTime = async (callId: string, seconds = 300): Promise<Call> =>
  (await inTime(
    async () => {
      await recoverCalls();
      return stores.calls.get(callId);
    },
    (call) => call?.ticket_work === 'done',
    { seconds, most: 40 },
  )) as Call;
const show = async (callId: string) => done('call', 'show', '--call', callId);

const everything = { attach_call_recording: true, attach_full_transcript: true, tags: ['voice', 'tap'] };

describe('create-ticket', () => {
  let org: TestOrg;

  beforeAll(async () => {
    await helpDesk.reset();
    org = await anOrg();
    await aHelpDeskConnection(org, everything);
  });

  afterEach(() => helpDesk.clearFaults());

  it('creates a contact and a ticket with tags, the exact recording and an internal transcript; 15 minutes later the call has the ticket’s status', async () => {
    const { call_id, phone_number } = await aTicketCall(org, { finished_at: undefined, ticket_work: undefined });
    const call = (await eventually(
      () => stores.calls.get(call_id),
      (found) => found?.ticket_transcript?.state === 'written' && found.ticket_recording?.state === 'written',
    )) as Call;
    const [ticket, ...others] = await helpDesk.listTickets({ phone: phone_number });
    expect(others).toEqual([]);
    expect(ticket).toMatchObject({
      id: call.ticket?.id,
      departmentId,
      subject: `complaint — ${phone_number}`,
      description: 'The tap in the kitchen drips since Monday.',
      status: 'Open',
      channel: 'Phone',
      priority: 'High',
      phone: phone_number,
    });
    const contacts = (await helpDesk.listContacts()).filter(({ phone }) => phone === phone_number);
    expect(contacts).toMatchObject([{ id: ticket?.contactId, firstName: 'Meera', lastName: 'Iyer' }]);
    expect(ticket?.tags).toEqual(everything.tags);
    expect(ticket?.comments).toMatchObject([
      {
        content: `Transcript of ${call_id}:\nAsha: Namaste.\nMeera: The tap drips.`,
        isPublic: false,
        contentType: 'plainText',
      },
    ]);
    expect(ticket?.attachments).toMatchObject([
      { name: `${call_id}.wav`, isPublic: false, sha256: createHash('sha256').update(AUDIO).digest('hex') },
    ]);
    expect(await show(call_id)).toMatchObject({
      ticket: {
        ticket_id: ticket?.id,
        status: 'Open',
        priority: 'High',
        error: null,
        refresh_at: call.ticket_refresh_at,
      },
      metadata: { ticket_id: ticket?.id, ticket_status: 'Open', ticket_priority: 'High' },
    });

    await helpDesk.changeTicket(ticket?.id ?? '', { status: 'Closed', priority: 'Low' });
    await workersAreIdle();
    expect((await stores.calls.get(call_id))?.ticket_refresh).toBeUndefined();
    await passTime(QUARTER_SECONDS + 5);
    const refreshed = (await eventually(
      () => stores.calls.get(call_id),
      (found) => found?.ticket_work === 'done',
    )) as Call;
    expect(refreshed.unfinished).toBeUndefined();
    expect(refreshed.request_metadata).toEqual({ name: 'Meera Iyer' });
    expect(await show(call_id)).toMatchObject({
      ticket: {
        ticket_id: ticket?.id,
        status: 'Closed',
        priority: 'Low',
        steps: ['contact', 'ticket', 'tags', 'recording', 'transcript', 'refresh'].map((step) => ({
          step,
          ok: true,
          error: null,
        })),
      },
      metadata: {
        ticket_id: ticket?.id,
        ticket_status: 'Closed',
        ticket_status_type: 'Closed',
        ticket_priority: 'Low',
        ticket_closed_at: expect.stringMatching(/Z$/),
        ticket_modified_at: expect.stringMatching(/Z$/),
      },
    });
    await queueTicket(call_id);
    await workersAreIdle();
    const reads = (await helpDesk.requests('GET /api/v1/tickets/{id}')).filter(({ path }) =>
      path.endsWith(ticket?.id ?? '-'),
    );
    expect(reads).toHaveLength(1);
  });

  it('uses the contact with exactly this phone, however it was typed', async () => {
    const phone_number = aPhoneNumber();
    const digits = phone_number.slice(3);
    await helpDesk.addContact({ lastName: 'Near', phone: `${digits.slice(0, 9)}${(Number(digits[9]) + 1) % 10}` });
    const contactId = await helpDesk.addContact({
      lastName: 'Iyer',
      mobile: `0${digits.slice(0, 5)}-${digits.slice(5)}`,
    });
    const { call_id } = await aTicketCall(org, { phone_number });
    await ticketed(call_id);
    expect(await helpDesk.listTickets({ phone: phone_number })).toMatchObject([{ contactId }]);
  });

  it('creates one contact for concurrent calls to one phone, and a ticket for each call', async () => {
    const phone_number = aPhoneNumber();
    const calls = await Promise.all(Array.from({ length: 4 }, () => aTicketCall(org, { phone_number })));
    await Promise.all(calls.map(({ call_id }) => queueTicket(call_id)));
    const ended = await Promise.all(calls.map(({ call_id }) => doneInTime(call_id)));
    expect(new Set(ended.map(({ ticket }) => ticket?.id)).size).toBe(4);
    expect(await helpDesk.listTickets({ phone: phone_number })).toHaveLength(4);
    expect((await helpDesk.listContacts()).filter(({ phone }) => phone === phone_number)).toHaveLength(1);
  });

  it('applies the connection’s templates, mappings and run condition; with the default scopes, the contact goes inline', async () => {
    const own = await anOrg();
    await aHelpDeskConnection(
      own,
      {
        subject_template: '{product} of {caller_name} ({unknown}{status})',
        description_template: '{note}\n{duration} s, {order}: {transcript}',
        run_condition: { field: 'product', in: ['tap', 'sink'] },
        priority_mapping: { field: 'product', values: { sink: 'High' }, fallback: 'Medium' },
        classification_mapping: { field: 'product', values: { tap: 'Problem' } },
        attach_call_recording: true,
      },
      { scopes: helpDeskScopes },
    );
    const request_metadata = { caller_name: 'Asha {status}', note: 'VIP {transcript}', order: { id: 7 } };
    const analysis = anAnalysis({ lead_intent: 'sales', structured_data: { product: 'tap' } });
    const { call_id, phone_number } = await aTicketCall(own, { request_metadata, analysis });
    const unwanted = await aTicketCall(own, { analysis: anAnalysis({ structured_data: { product: 'fan' } }) });
    const call = await ticketed(call_id);
    const tickets = await helpDesk.listTickets({ phone: phone_number });
    expect(tickets).toMatchObject([
      {
        id: call.ticket?.id,
        subject: 'tap of Asha {status} (completed)',
        description: 'VIP {transcript}\n125 s, {"id":7}: Asha: Namaste.\nMeera: The tap drips.',
        priority: 'Medium',
        classification: 'Problem',
      },
    ]);
    expect((await helpDesk.listContacts()).filter(({ phone }) => phone === phone_number)).toMatchObject([
      { id: tickets[0]?.contactId, firstName: 'Asha', lastName: '{status}' },
    ]);
    expect(await ticketed(unwanted.call_id)).toMatchObject({ ticket_work: 'done', ticket: { state: 'none' } });
    expect((await show(unwanted.call_id)).ticket).toMatchObject({
      ticket_id: null,
      error: 'the run condition does not hold: product is another',
      steps: [],
    });
    expect(await helpDesk.listTickets({ phone: unwanted.phone_number })).toEqual([]);
  });

  it.each(['no_answer', 'failed'] as const)('creates no ticket for a call that ended as %s', async (status) => {
    const nothing = {
      duration: 0,
      started_at: undefined,
      transcript_key: undefined,
      recording: { state: 'none' as const },
    };
    const call = await aTicketCall(org, { status, ...nothing, finished_at: undefined, ticket_work: undefined });
    const finished = await eventually(
      () => stores.calls.get(call.call_id),
      (found) => found?.finished_at !== undefined,
    );
    expect([finished?.unfinished, finished?.ticket_work]).toEqual([undefined, undefined]);
    await queueTicket(call.call_id);
    await workersAreIdle();
    expect(await helpDesk.listTickets({ phone: call.phone_number })).toEqual([]);
    expect((await show(call.call_id)).ticket).toBeNull();
  });

  it('creates one ticket, however often the message is delivered', async () => {
    const { call_id, phone_number } = await aTicketCall(org);
    await Promise.all(Array.from({ length: 8 }, () => queueTicket(call_id)));
    await ticketed(call_id);
    await queueTicket(call_id);
    await workersAreIdle();
    const [ticket, ...others] = await helpDesk.listTickets({ phone: phone_number });
    expect(others).toEqual([]);
    expect([ticket?.comments.length, ticket?.attachments.length]).toEqual([1, 1]);
  });

  it('creates one contact and one ticket although the first requests are dropped before or after the work, truncated, or answered 500 or 429', async () => {
    const kinds = ['drop', 'drop-after', 'cut-after', 'server-error-after', 'too-many-requests'] as const;
    const calls = await Promise.all(
      kinds.map(async (kind) => {
        const phone_number = aPhoneNumber();
        for (const route of ['POST /api/v1/contacts', TICKETS])
          await helpDesk.fault({ route, kind, containing: phone_number });
        return aTicketCall(org, { phone_number });
      }),
    );
    for (const { call_id, phone_number } of calls) {
      const { ticket } = await doneInTime(call_id);
      expect(await helpDesk.listTickets({ phone: phone_number })).toMatchObject([{ id: ticket?.id }]);
      expect((await helpDesk.listContacts()).filter(({ phone }) => phone === phone_number)).toHaveLength(1);
    }
    const befell = (await helpDesk.faults()).map((fault) => fault.befell);
    expect(befell).toEqual(kinds.flatMap(() => [1, 1]));
  });

  it('keeps the ticket when a follow-up fails, and records the failure', async () => {
    await helpDesk.settings({ allowedTags: ['other'], attachmentBytes: 10 });
    const { call_id } = await aTicketCall(org);
    const call = await ticketed(call_id);
    await helpDesk.settings({ allowedTags: null, attachmentBytes: 20 * 1024 * 1024 });
    await helpDesk.deleteTicket(call.ticket?.id ?? '');
    await passTime(QUARTER_SECONDS + 5);
    await eventually(
      () => stores.calls.get(call_id),
      (found) => found?.ticket_work === 'done',
    );
    const { ticket } = (await show(call_id)) as { ticket: { ticket_id: string; steps: object[] } };
    expect(ticket.ticket_id).toBe(call.ticket?.id);
    expect(ticket.steps).toEqual([
      { step: 'contact', ok: true, error: null },
      { step: 'ticket', ok: true, error: null },
      { step: 'tags', ok: false, error: expect.stringContaining('INVALID_DATA') },
      { step: 'recording', ok: false, error: expect.stringContaining('RESOURCE_SIZE_EXCEEDED') },
      { step: 'transcript', ok: true, error: null },
      { step: 'refresh', ok: false, error: 'the ticket is gone' },
    ]);
  });

  it('waits for a disconnected help desk, and creates the ticket after a reconnect', async () => {
    const own = await anOrg();
    const connection = await aHelpDeskConnection(own);
    await disconnect(connection);
    const { call_id, phone_number } = await aTicketCall(own);
    const waiting = await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.ticket_error !== undefined,
    );
    expect(waiting).toMatchObject({ ticket_work: 'pending', unfinished: 'ended' });
    expect(waiting?.ticket).toBeUndefined();
    expect((await show(call_id)).ticket).toMatchObject({ ticket_id: null, error: waiting?.ticket_error });
    await grantTo(connection);
    await doneInTime(call_id, 900);
    expect(await helpDesk.listTickets({ phone: phone_number })).toHaveLength(1);
  });

  it('refreshes by way of recover-calls when the one-time schedule was lost', async () => {
    const { call_id } = await aTicketCall(org);
    await ticketed(call_id);
    await scheduler.send(
      new DeleteScheduleCommand({ GroupName: named.schedules('tickets'), Name: `${call_id}-refresh` }),
    );
    await passTime(QUARTER_SECONDS + 200);
    expect(await doneInTime(call_id)).toMatchObject({ ticket_refresh: { state: 'written' } });
  });
});
