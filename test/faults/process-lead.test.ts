import { isScheduled } from '../../shared/domain/calls/dialing/scheduled-call.ts';
import { callIdForLead } from '../../shared/domain/ids.ts';
import type { LeadEvent } from '../../shared/messages/lead-event.ts';
import { releaseOf } from '../../shared/messages/lead-release.ts';
import { aConnection, activityOf, aLeadEvent, passTimeUntilIst } from '../support/leads/leads.ts';
import { anOrg, stores } from '../support/organizations/orgs.ts';
import { deadLettersOf, inTime, now } from '../support/stack/stack.ts';
import { aNamedLead, aScheduledCall, crmBConnections, expectReleasedOnce, expectWrittenOnce } from './support/crm-b.ts';
import { CREDITS, callOf, type Probe, send } from './support/probes.ts';
import { expectCompletedOnce } from './support/promises.ts';
import { disturbed, faultsToTry, onLinux } from './support/rounds.ts';

/** All other requests equal those of CRM-A's leads. */
const isOfCrmB = (what: string): boolean => /^crm-b|UpdateItem connections/.test(what);
const isOfRelease = (what: string): boolean => /TransactWriteItems/.test(what);

onLinux('process-lead, with a duplicate message', () => {
  const { atEveryRequest, faults } = disturbed('process-lead');
  const aConnected = crmBConnections();
  // Far from midnight IST: no call moves to another day.
  beforeAll(() => passTimeUntilIst('10:00'));

  const expiringToken = async () => ({ hosts: await faults().crmBThrough('process-lead'), endsInSeconds: -1 });
  const isDecided = ({ connection_id, event_id }: LeadEvent) => stores.activity.has(connection_id, event_id);
  // A worker that died during a token refresh keeps its lease for another half minute.
  const untilAll = (isDone: () => Promise<boolean[]>) =>
    inTime(isDone, (done) => done.every(Boolean), { seconds: 40, most: 20 });

  it.each(faultsToTry)(
    'turns an event of CRM-A into one call that rings once, and one entry: %s at each kind of effect',
    async (fault) => {
      const { rounds, probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const connected = await aConnection({}, await anOrg({ credits: CREDITS }));
          const event = aLeadEvent(connected);
          const { connection_id, event_id, lead } = event;
          const callId = callIdForLead(connection_id, event_id);
          await arm(callId, connection_id);
          await send('lead-events', event);
          return {
            probe: { org: connected.org, phone: lead.phones[0] ?? '', callId },
            event,
            connected,
            isThrough: () => isDecided(event),
            again: () => send('lead-events', event),
          };
        },
        { atOnce: 5 },
      );
      expect(kinds['process-lead']).toEqual(
        expect.arrayContaining([
          'DynamoDB GetItem connections',
          'DynamoDB GetItem calls',
          'DynamoDB GetItem activity',
          'DynamoDB GetItem organizations',
          'DynamoDB GetItem assistants',
          'DynamoDB TransactGetItems do-not-call',
          'DynamoDB BatchGetItem',
          'DynamoDB TransactWriteItems calls claims',
          'DynamoDB PutItem activity',
        ]),
      );
      await untilAll(() => Promise.all(rounds.map(({ event }) => isDecided(event))));
      await expectCompletedOnce(probes);
      for (const { connected, probe } of rounds)
        expect(await activityOf(connected, 1)).toMatchObject([{ outcome: 'call queued', call_id: probe.callId }]);
      expect(await deadLettersOf('lead-events')).toBe(0);
    },
  );

  it.each(faultsToTry)(
    'turns an event of CRM-B, with an expiring access token, into one call that rings once, one entry, one call log and one note: %s at each kind of effect',
    async (fault) => {
      const { rounds, probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const connected = await aConnected(await expiringToken());
          const lead = await aNamedLead(connected);
          await arm(lead.probe.callId, connected.connectionId);
          await send('lead-events', lead.event);
          const again = () => send('lead-events', lead.event);
          return { ...lead, connected, isThrough: () => isDecided(lead.event), again };
        },
        { atOnce: 5, isOfInterest: isOfCrmB },
      );
      expect(kinds['process-lead']).toEqual(
        expect.arrayContaining([
          'secretsmanager GetSecretValue crm-b-oauth',
          'TrentService Decrypt',
          'TrentService Encrypt',
          'DynamoDB UpdateItem connections',
          'crm-b accounts POST /oauth/v2/token',
          'crm-b GET /crm/v8/Leads/…',
        ]),
      );
      await untilAll(() => Promise.all(rounds.map(({ event }) => isDecided(event))));
      await expectCompletedOnce(probes);
      for (const { connected, probe } of rounds)
        expect(await activityOf(connected, 1)).toMatchObject([{ outcome: 'call queued', call_id: probe.callId }]);
      await expectWrittenOnce(rounds.map(({ leadId }) => leadId));
      expect(await deadLettersOf('lead-events')).toBe(0);
    },
  );

  it.each(faultsToTry)(
    'queues a call whose window opens once, with an expiring access token, and rings once: %s at each kind of effect',
    async (fault) => {
      const waits = async (probe: Probe) => isScheduled(await callOf(probe));
      const { rounds, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const connected = await aConnected(await expiringToken());
          const lead = await aNamedLead(connected);
          await arm(lead.probe.callId, connected.connectionId);
          // Its window is open, so it is released at once.
          const call = await aScheduledCall(connected, lead, now());
          if (!isScheduled(call)) throw new Error('not scheduled');
          const again = () => send('lead-events', releaseOf(call));
          return { ...lead, connected, isThrough: async () => !(await waits(lead.probe)), again };
        },
        { atOnce: 5, isOfInterest: isOfRelease },
      );
      expect(kinds['process-lead']).toEqual(
        expect.arrayContaining([
          'DynamoDB GetItem calls',
          'DynamoDB GetItem connections',
          'DynamoDB GetItem organizations',
          'crm-b accounts POST /oauth/v2/token',
          'crm-b GET /crm/v8/Leads/…',
          'DynamoDB GetItem assistants',
          'DynamoDB TransactGetItems do-not-call',
          expect.stringMatching(/^DynamoDB TransactWriteItems calls .*activity/),
        ]),
      );
      await untilAll(() => Promise.all(rounds.map(async ({ probe }) => !(await waits(probe)))));
      await expectReleasedOnce(rounds);
      expect(await deadLettersOf('lead-events')).toBe(0);
    },
  );
});
