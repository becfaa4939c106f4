import { isScheduled } from '../../shared/domain/calls/scheduled-call.ts';
import { releaseOf } from '../../shared/messages/lead-release.ts';
import { claimsOf, ownersOf } from '../support/claims.ts';
import { activityOf, passTimeUntilIst } from '../support/leads.ts';
import { stores } from '../support/orgs.ts';
import { deadLettersOf, inTime, now, voice } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import { aNamedLead, aScheduledCall, crmBConnections, expectWrittenOnce } from './support/crm-b.ts';
import {
  atEveryRequest,
  callOf,
  disturbed,
  expectAllKept,
  faultsToTry,
  onLinux,
  type Probe,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

/** Before settle() considers a call overdue. */
const SOON_MS = 5 * 60_000;

onLinux('a call that waits for its window', () => {
  const aConnected = crmBConnections();
  // Far from midnight IST: no call moves to another day.
  beforeAll(() => passTimeUntilIst('10:00'));

  const waits = async (probe: Probe) => isScheduled(await callOf(probe));

  type Scheduled = Awaited<ReturnType<typeof aScheduled>>;
  async function aScheduled() {
    const connected = await aConnected();
    const lead = await aNamedLead(connected);
    const call = await aScheduledCall(connected, lead, new Date(now().getTime() + SOON_MS));
    return { connected, call, ...lead };
  }

  async function expectReleasedOnce(scheduled: readonly Scheduled[]) {
    const probes = scheduled.map(({ probe }) => probe);
    await settle(probes);
    const calls = await expectAllKept(probes);
    const { byNumber } = await voice.allRings();
    for (const { status, phone_number, holds } of calls)
      expect([phone_number, status, holds, byNumber[phone_number]]).toEqual([phone_number, 'completed', 1, 1]);
    for (const { connected, event, probe } of scheduled)
      expect(await activityOf(connected, 1)).toMatchObject([
        {
          source: 'release',
          outcome: 'call queued',
          call_id: probe.callId,
          event_id: expect.stringContaining(`${event.event_id}.release.`),
        },
      ]);
    await expectWrittenOnce(scheduled.map(({ leadId }) => leadId));
  }

  describe('schedule-release, with a duplicate message', () => {
    const faults = disturbed('schedule-release');

    it.each(faultsToTry)('releases the call once, when its window opens: %s at each effect', async (fault) => {
      const scheduled: Scheduled[] = [];
      const { kinds } = await atEveryRequest(
        async (target, isAlone) => {
          if (isAlone) await coldStart('schedule-release');
          const one = await aScheduled();
          scheduled.push(one);
          const { callId } = one.probe;
          const armed = faults().arm('schedule-release', { ...target, fault, callId });
          await send('releases', { call_id: callId });
          const hasStruck = await struck(armed, async () => armed.requests.some((what) => /POST/.test(what)));
          await send('releases', { call_id: callId });
          return { probe: one.probe, armed, struck: hasStruck };
        },
        { atOnce: 2 },
      );
      expect(kinds).toEqual(['DynamoDB GetItem calls', 'aws POST /schedules/…']);
      for (const { probe } of scheduled) expect(await waits(probe)).toBe(true);
      await expectReleasedOnce(scheduled);
      expect(await deadLettersOf('releases')).toBe(0);
    });
  });

  describe('process-lead, for a release with an expiring access token and a duplicate message', () => {
    const faults = disturbed('process-lead');

    it.each(faultsToTry)('queues the call once, and rings once: %s at each effect', async (fault) => {
      const scheduled: Scheduled[] = [];
      const { kinds } = await atEveryRequest(
        async (target) => {
          const hosts = await faults().crmBThrough('process-lead');
          const connected = await aConnected({ hosts, endsInSeconds: -1 });
          const lead = await aNamedLead(connected);
          await coldStart('process-lead');
          const armed = faults().arm('process-lead', { ...target, fault });
          // Its window is open, so it is released at once.
          const call = await aScheduledCall(connected, lead, now());
          scheduled.push({ connected, call, ...lead });
          if (!isScheduled(call)) throw new Error('not scheduled');
          const hasStruck = await struck(armed, async () => !(await waits(lead.probe)));
          await send('leads', releaseOf(call));
          return { probe: lead.probe, armed, struck: hasStruck };
        },
        { isOfInterest: (what) => /^crm-b GET|TransactWriteItems/.test(what) },
      );
      expect(kinds).toEqual(
        expect.arrayContaining([
          'DynamoDB GetItem calls',
          'DynamoDB GetItem connections',
          'DynamoDB GetItem organizations',
          'crm-b accounts POST /oauth/v2/token',
          'crm-b GET /crm/v8/Leads/…',
          'DynamoDB GetItem assistants',
          'DynamoDB GetItem do-not-call',
          expect.stringMatching(/^DynamoDB TransactWriteItems calls .*credit-ledger/),
        ]),
      );
      await inTime(
        () => Promise.all(scheduled.map(({ probe }) => waits(probe))),
        (waiting) => !waiting.includes(true),
        { seconds: 60, most: 20 },
      );
      await expectReleasedOnce(scheduled);
      expect(await deadLettersOf('leads')).toBe(0);
    });
  });

  describe('cancel-scheduled, whose stream record is redelivered when it dies', () => {
    const faults = disturbed('cancel-scheduled');

    it.each(faultsToTry)(
      'cancels the calls of a disabled connection, frees their claims and records it once: %s at each effect',
      async (fault) => {
        const scheduled: Scheduled[] = [];
        const { kinds } = await atEveryRequest(async (target) => {
          const one = await aScheduled();
          scheduled.push(one);
          const { connectionId } = one.connected;
          const armed = faults().arm('cancel-scheduled', { ...target, fault, connectionId });
          await stores.connections.update(connectionId, { auto_call: false });
          const hasStruck = await struck(armed, async () => !(await waits(one.probe)));
          await stores.connections.update(connectionId, { auto_call: true });
          await stores.connections.update(connectionId, { auto_call: false });
          return { probe: one.probe, armed, struck: hasStruck };
        });
        expect(kinds).toEqual([
          'DynamoDB Query calls',
          'DynamoDB GetItem calls',
          expect.stringMatching(/^DynamoDB TransactWriteItems calls /),
        ]);
        const probes = scheduled.map(({ probe }) => probe);
        await settle(probes);
        const calls = await expectAllKept(probes);
        const { byNumber } = await voice.allRings();
        for (const { status, ended_reason, phone_number } of calls)
          expect([status, ended_reason, byNumber[phone_number] ?? 0]).toEqual(['canceled', 'auto_call_disabled', 0]);
        for (const { connected, probe } of scheduled) {
          expect(await activityOf(connected, 1)).toMatchObject([
            { outcome: 'auto_call_disabled', call_id: probe.callId },
          ]);
          const { today } = await claimsOf(probe.callId);
          expect(await ownersOf(today)).toEqual({});
        }
      },
    );
  });
});
