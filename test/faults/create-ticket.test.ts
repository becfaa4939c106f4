import type { Fault } from '../../local/simulators/help-desk/faults.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { callIdFor } from '../../shared/domain/ids.ts';
import { connectsOften } from '../support/crm-b.ts';
import { aHelpDeskConnection, aTicketCall, queueTicket } from '../support/help-desk.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { crmB, deadLettersOf, helpDesk, inTime, passTime, workersAreIdle } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import { atEveryRequest, disturbed, faultsToTry, isMatrix, onLinux } from './support/rounds.ts';
import { expectOneTicketEach } from './support/tickets.ts';

import.meta.jest.setTimeout(900_000);

/** The help desk's reaction to the first requests; each leads the function through different requests. */
const allWays: { way: string; fault?: Pick<Fault, 'kind'>; asks: string[] }[] = [
  { way: 'takes everything', asks: [] },
  {
    way: 'takes everything and answers nothing',
    fault: { kind: 'drop-after' },
    asks: ['help-desk GET /api/v1/tickets/search'],
  },
  {
    way: 'takes nothing and does not answer',
    fault: { kind: 'drop' },
    asks: ['help-desk GET /api/v1/tickets/search'],
  },
];
const ways = isMatrix ? allWays : allWays.slice(0, 1);
const cases = ways.flatMap((way) => faultsToTry.map((fault) => ({ ...way, does: fault, meets: way.fault })));

const ASKED = ['POST /api/v1/contacts', 'POST /api/v1/tickets', 'POST /api/v1/tickets/{id}/attachments'];
/** The interval of recover-calls. */
const STEP_SECONDS = 300;
const MOST_STEPS = 16;

/** The remote requests and the marks around them. */
const isOfInterest = (what: string): boolean => /^help-desk|TransactWriteItems|CreateSchedule/.test(what);

const isDone = (call: Call | undefined): boolean => call?.ticket_work === 'done';

onLinux('create-ticket, its access token at its end, with one duplicate of its message', () => {
  const faults = disturbed('create-ticket');
  beforeAll(async () => {
    await crmB.settings(connectsOften);
    await helpDesk.reset();
  });

  it.each(cases)(
    'creates one contact, one ticket and each follow-up once: $does at each effect, where the help desk $way',
    async ({ does, meets, asks }) => {
      const { probes, kinds } = await atEveryRequest(
        async (target, isAlone) => {
          const org = await anOrg();
          await aHelpDeskConnection(
            org,
            { attach_call_recording: true, attach_full_transcript: true, tags: ['voice'] },
            { hosts: await faults().crmBThrough('create-ticket'), endsInSeconds: -1 },
          );
          if (isAlone) await coldStart('create-ticket');
          const [callId, phone_number] = [callIdFor(org.orgId, undefined), aPhoneNumber()];
          if (meets)
            for (const route of ASKED)
              await helpDesk.fault({
                route,
                ...meets,
                containing: route.endsWith('s/{id}/attachments') ? callId : phone_number,
              } as Fault);
          // The function is triggered at once.
          const armed = faults().arm('create-ticket', { ...target, fault: does, callId });
          await aTicketCall(org, { call_id: callId, phone_number });
          const isThrough = async () => isDone(await stores.calls.get(callId));
          await inTime(
            async () => armed.struck !== undefined || (await isThrough()),
            (isOver) => isOver,
            { seconds: STEP_SECONDS, most: MOST_STEPS },
          );
          await queueTicket(callId);
          return { probe: { org, phone: phone_number, callId }, armed, struck: armed.struck !== undefined };
        },
        { atOnce: 3, isOfInterest },
      );
      expect(kinds).toEqual(
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
          ...asks,
        ]),
      );
      const calls = await inTime(
        () => Promise.all(probes.map(({ callId }) => stores.calls.get(callId))),
        (found) => found.every(isDone),
        { seconds: STEP_SECONDS, most: MOST_STEPS },
      );
      await expectOneTicketEach(calls);
      for (const call of calls) {
        for (const item of [
          'ticket',
          'ticket_tags',
          'ticket_recording',
          'ticket_transcript',
          'ticket_refresh',
        ] as const)
          expect([item, call?.[item]?.state]).toEqual([item, 'written']);
        expect(call?.unfinished).toBeUndefined();
      }
      // The killed workers' messages are redelivered and must be no-ops.
      await passTime(10 * 60);
      await workersAreIdle();
      await expectOneTicketEach(calls);
      expect(await deadLettersOf('tickets')).toBe(0);
    },
  );
});
