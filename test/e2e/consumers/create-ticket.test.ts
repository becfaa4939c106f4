import { createHash } from 'node:crypto';
import { DeleteScheduleCommand } from '@aws-sdk/client-scheduler';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { done } from '../../support/admin/cli.ts';
import { AUDIO } from '../../support/calls/finished-call.ts';
import { aHelpDeskConnection, aTicketCall, departmentId, queueTicket } from '../../support/connections/help-desk.ts';
import { anOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import {
  eventually,
  helpDesk,
  passTime,
  pauseRecovery,
  recoverCalls,
  resumeRecovery,
  scheduler,
  variablesOf,
  workersAreIdle,
} from '../../support/stack/stack.ts';

const QUARTER_SECONDS = 15 * 60;

const show = async (callId: string) => done('call', 'show', '--call', callId);

const everything = { attach_call_recording: true, attach_full_transcript: true, tags: ['voice', 'tap'] };

describe('create-ticket', () => {
  let org: TestOrg;

  beforeAll(async () => {
    await helpDesk.reset();
    org = await anOrg();
    await aHelpDeskConnection(org, everything);
  });

  it('creates a complete ticket with its contact, and stores its status on the call 15 minutes later', async () => {
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

  it('creates no ticket for a call that was not answered or failed', async () => {
    const nothing = {
      duration: 0,
      started_at: undefined,
      transcript_key: undefined,
      recording: { state: 'none' as const },
      finished_at: undefined,
      ticket_work: undefined,
    };
    const ended = (status: Call['status']) => aTicketCall(org, { ...nothing, status });
    for (const { call_id, phone_number } of [await ended('no_answer'), await ended('failed')]) {
      const finished = await eventually(
        () => stores.calls.get(call_id),
        (found) => found?.finished_at !== undefined,
      );
      expect([finished?.unfinished, finished?.ticket_work]).toEqual([undefined, undefined]);
      await queueTicket(call_id);
      await workersAreIdle();
      expect(await helpDesk.listTickets({ phone: phone_number })).toEqual([]);
      expect((await show(call_id)).ticket).toBeNull();
    }
  });

  it('refreshes the ticket through recover-calls if the one-time schedule was lost', async () => {
    const { call_id } = await aTicketCall(org);
    await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.ticket_refresh_at !== undefined && call.ticket_after === call.ticket_refresh_at,
    );
    const { TICKET_SCHEDULES_GROUP: GroupName } = await variablesOf('create-ticket');
    await scheduler.send(new DeleteScheduleCommand({ GroupName, Name: `${call_id}-refresh` }));
    // Otherwise a late message would do the work of recover-calls.
    await workersAreIdle();
    await pauseRecovery();
    try {
      await passTime(QUARTER_SECONDS + 200);
      expect((await recoverCalls()).ticket).toBeGreaterThanOrEqual(1);
    } finally {
      await resumeRecovery();
    }
    const refreshed = await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.ticket_work === 'done',
    );
    expect(refreshed).toMatchObject({ ticket_refresh: { state: 'written' } });
  });
});
