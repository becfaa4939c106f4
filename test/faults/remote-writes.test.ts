import type { Fault as CrmBFault } from '../../local/simulators/crm-b/faults.ts';
import type { Fault as HelpDeskFault } from '../../local/simulators/help-desk/faults.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { callIdFor } from '../../shared/domain/ids.ts';
import { anEndedCall, queueSync } from '../support/calls/finished-call.ts';
import { connectsOften } from '../support/connections/crm-b.ts';
import { aHelpDeskConnection, aTicketCall, queueTicket } from '../support/connections/help-desk.ts';
import { anOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { crmB, deadLettersOf, helpDesk, inTime, passTime, workersAreIdle } from '../support/stack/stack.ts';
import { aQuietLeadOf, crmBConnections, expectWrittenOnce } from './support/crm-b.ts';
import { callOf, type Probe } from './support/probes.ts';
import { disturbed, faultsToTry, isMatrix, onLinux } from './support/rounds.ts';

/** The remote system's reaction to the first writes. Each leads the function through different requests. */
const allReactions = [
  { reaction: 'answers', fails: undefined },
  { reaction: 'accepts its first writes without an answer', fails: 'drop-after' },
  { reaction: 'loses its first writes without an answer', fails: 'drop' },
] as const;
const reactions = isMatrix ? allReactions : allReactions.slice(0, 1);
const cases = reactions.flatMap((reaction) => faultsToTry.map((fault) => ({ ...reaction, fault })));

/** The interval of recover-calls. */
const STEP_SECONDS = 300;

/** Waits until the work is done, and checks it before and after the killed workers' messages are redelivered. */
async function expectDoneOnce(
  probes: readonly Probe[],
  isDone: (call: Call | undefined) => boolean,
  expectOnce: (calls: readonly (Call | undefined)[]) => Promise<void>,
): Promise<void> {
  const calls = await inTime(
    () => Promise.all(probes.map(callOf)),
    (found) => found.every(isDone),
    { seconds: STEP_SECONDS, most: 16 },
  );
  expect(calls.filter((call) => call?.unfinished !== undefined)).toEqual([]);
  await expectOnce(calls);
  await passTime(10 * 60);
  await workersAreIdle();
  await expectOnce(calls);
}

onLinux('create-ticket, with an expiring access token and a duplicate message', () => {
  const { atEveryRequest, faults } = disturbed('create-ticket');
  beforeAll(async () => {
    await crmB.settings(connectsOften);
    await helpDesk.reset();
  });

  const writes = ['POST /api/v1/contacts', 'POST /api/v1/tickets', 'POST /api/v1/tickets/{id}/attachments'];
  /** The remote requests and the marks around them. */
  const isOfInterest = (what: string): boolean => /^help-desk|TransactWriteItems|CreateSchedule/.test(what);
  const isDone = (call: Call | undefined): boolean => call?.ticket_work === 'done';

  /** Checks that each call has one contact, ticket, recording and transcript, and that its phone has no others. */
  async function expectOneTicketEach(calls: readonly (Call | undefined)[]): Promise<void> {
    const [tickets, contacts] = await Promise.all([helpDesk.listTickets(), helpDesk.listContacts()]);
    for (const call of calls) {
      const written = { state: 'written' };
      expect(call).toMatchObject({
        ticket: written,
        ticket_tags: written,
        ticket_recording: written,
        ticket_transcript: written,
        ticket_refresh: written,
      });
      const own = tickets.filter(({ phone }) => phone === call?.phone_number);
      expect(own).toMatchObject([
        { id: call?.ticket?.id, tags: ['voice'], attachments: [{ name: `${call?.call_id}.wav` }], comments: [{}] },
      ]);
      expect(contacts.filter(({ phone }) => phone === call?.phone_number)).toHaveLength(1);
    }
  }

  it.each(cases)(
    'creates one contact, one ticket and each follow-up once: $fault at each kind of effect, on a help desk that $reaction',
    async ({ fault, fails }) => {
      const { probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const org = await anOrg();
          const { connection_id } = await aHelpDeskConnection(
            org,
            { attach_call_recording: true, attach_full_transcript: true, tags: ['voice'] },
            { hosts: await faults().crmBThrough('create-ticket'), endsInSeconds: -1 },
          );
          const probe = { org, phone: aPhoneNumber(), callId: callIdFor(org.orgId, undefined) };
          const { phone, callId } = probe;
          for (const route of fails ? writes : []) {
            const containing = route.endsWith('attachments') ? callId : phone;
            await helpDesk.fault({ route, kind: fails, containing } as HelpDeskFault);
          }
          await arm(callId, connection_id);
          // The function is triggered at once.
          await aTicketCall(org, { call_id: callId, phone_number: phone });
          return { probe, isThrough: async () => isDone(await callOf(probe)), again: () => queueTicket(callId) };
        },
        { atOnce: 20, isOfInterest, stepSeconds: STEP_SECONDS },
      );
      expect(kinds['create-ticket']).toEqual(
        expect.arrayContaining([
          'DynamoDB UpdateItem calls',
          'DynamoDB GetItem calls',
          'DynamoDB GetItem connections',
          'DynamoDB TransactWriteItems calls',
          'secretsmanager GetSecretValue help-desk-oauth',
          'crm-b accounts POST /oauth/v2/token',
          'help-desk POST /api/v1/contacts',
          'help-desk POST /api/v1/tickets',
          'help-desk POST /api/v1/tickets/…/attachments',
          ...(fails ? ['help-desk GET /api/v1/tickets/search'] : []),
        ]),
      );
      await expectDoneOnce(probes, isDone, expectOneTicketEach);
      expect(await deadLettersOf('tickets')).toBe(0);
    },
  );
});

onLinux('sync-crm-b, with an expiring access token and a duplicate message', () => {
  const { atEveryRequest, faults } = disturbed('sync-crm-b');
  const aConnected = crmBConnections();

  const writes = ['POST /crm/v8/Calls', 'POST /crm/v8/Leads/{id}/Notes'];
  const lookups = {
    'drop-after': ['crm-b GET /crm/v8/Leads/…/Calls_History', 'crm-b GET /crm/v8/Leads/…/Notes'],
    drop: [
      'crm-b GET /crm/v8/Leads/…/Calls_History',
      'crm-b GET /crm/v8/Leads/…/Calls',
      'crm-b GET /crm/v8/Leads/…/Notes',
    ],
  };
  /** The remote requests and the marks around them. */
  const isOfInterest = (what: string): boolean => /^crm-b|UpdateItem calls/.test(what);
  const isSynced = (call: Call | undefined): boolean => call?.crm_b_sync === 'done';

  it.each(cases)(
    'writes one call log and one note: $fault at each kind of effect, to a CRM-B that $reaction',
    async ({ fault, fails }) => {
      const { rounds, probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const connected = await aConnected({ hosts: await faults().crmBThrough('sync-crm-b'), endsInSeconds: -1 });
          const leadId = await aQuietLeadOf(connected);
          for (const route of fails ? writes : [])
            await crmB.fault({ route, kind: fails, containing: leadId } as CrmBFault);
          const probe = { org: connected.org, phone: '', callId: callIdFor(connected.orgId, leadId) };
          await arm(probe.callId, connected.connectionId);
          // From here on, only the service acts.
          await anEndedCall(connected, leadId, { call_id: probe.callId });
          const isThrough = async () => isSynced(await callOf(probe));
          return { probe, leadId, isThrough, again: () => queueSync(probe.callId) };
        },
        { atOnce: 10, isOfInterest, stepSeconds: STEP_SECONDS },
      );
      expect(kinds['sync-crm-b']).toEqual(
        expect.arrayContaining([
          'DynamoDB UpdateItem calls',
          'DynamoDB GetItem calls',
          'DynamoDB GetItem connections',
          'secretsmanager GetSecretValue crm-b-oauth',
          'DynamoDB UpdateItem connections',
          'crm-b accounts POST /oauth/v2/token',
          'crm-b POST /crm/v8/Calls',
          'crm-b POST /crm/v8/Leads/…/Notes',
          expect.stringMatching(/^aws GET .*transcripts/),
          ...(fails ? lookups[fails] : []),
        ]),
      );
      await expectDoneOnce(probes, isSynced, async (calls) => {
        for (const call of calls)
          expect(call).toMatchObject({ call_log: { state: 'written' }, note: { state: 'written' } });
        await expectWrittenOnce(rounds.map(({ leadId }) => leadId));
      });
      expect(await deadLettersOf('crm-b-sync')).toBe(0);
    },
  );
});
