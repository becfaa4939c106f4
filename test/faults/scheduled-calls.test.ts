import { isScheduled } from '../../shared/domain/calls/dialing/scheduled-call.ts';
import { claimsOf, ownersOf } from '../support/calls/claims.ts';
import { changeConnection } from '../support/connections/change-connection.ts';
import { grants } from '../support/connections/crm-b.ts';
import { activityOf, passTimeUntilIst } from '../support/leads/leads.ts';
import { stores } from '../support/organizations/orgs.ts';
import { deadLettersOf, now, voice } from '../support/stack/stack.ts';
import { aNamedLead, aScheduledCall, crmBConnections, expectReleasedOnce } from './support/crm-b.ts';
import { callOf, type Probe, send } from './support/probes.ts';
import { expectAllKept, settle } from './support/promises.ts';
import { disturbed, faultsToTry, onLinux } from './support/rounds.ts';

/** Shorter than the time after which settle() considers a call overdue. */
const SOON_MS = 5 * 60_000;

onLinux('a call that waits for its window', () => {
  const { atEveryRequest } = disturbed('schedule-release', 'cancel-calls');
  const aConnected = crmBConnections();
  // Far from midnight IST: no call moves to another day.
  beforeAll(() => passTimeUntilIst('10:00'));

  const waits = async (probe: Probe) => isScheduled(await callOf(probe));

  async function aScheduled() {
    const connected = await aConnected();
    const lead = await aNamedLead(connected);
    const schedule = () => aScheduledCall(connected, lead, new Date(now().getTime() + SOON_MS));
    return { ...lead, connected, schedule };
  }

  it.each(faultsToTry)(
    'is released once by schedule-release when its window opens, despite a duplicate message: %s at each kind of effect',
    async (fault) => {
      const { rounds, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const { schedule, ...one } = await aScheduled();
          const { callId } = one.probe;
          await arm(callId);
          await schedule();
          return { ...one, isThrough: () => waits(one.probe), again: () => send('releases', { call_id: callId }) };
        },
        { atOnce: 2, names: ['schedule-release'] },
      );
      expect(kinds['schedule-release']).toEqual(['DynamoDB GetItem calls', 'aws POST /schedules/…']);
      for (const { probe } of rounds) expect(await waits(probe)).toBe(true);
      await expectReleasedOnce(rounds);
      expect(await deadLettersOf('releases')).toBe(0);
    },
  );

  it.each(faultsToTry)(
    'is canceled and recorded once by cancel-calls, and its claims are freed, when its connection is disabled: %s at each kind of effect',
    async (fault) => {
      const { rounds, probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const { schedule, ...one } = await aScheduled();
          const { connectionId } = one.connected;
          await schedule();
          await arm(one.probe.callId, connectionId);
          await changeConnection({ ...stores, grants, now }, connectionId, { auto_call: false });
          const again = async () => {
            await changeConnection({ ...stores, grants, now }, connectionId, { auto_call: true });
            await changeConnection({ ...stores, grants, now }, connectionId, { auto_call: false });
          };
          return { ...one, isThrough: async () => !(await waits(one.probe)), again };
        },
        { names: ['cancel-calls'] },
      );
      expect(kinds['cancel-calls']).toEqual([
        'DynamoDB GetItem connections',
        'DynamoDB Query calls',
        'AmazonSQS SendMessage',
        'DynamoDB GetItem calls',
        expect.stringMatching(/^DynamoDB TransactWriteItems calls /),
        'DynamoDB UpdateItem activity',
      ]);
      await settle(probes);
      const calls = await expectAllKept(probes);
      const { byNumber } = await voice.allRings();
      for (const { status, ended_reason, phone_number } of calls)
        expect([status, ended_reason, byNumber[phone_number] ?? 0]).toEqual(['canceled', 'auto_call_disabled', 0]);
      for (const { connected, probe } of rounds) {
        expect(await activityOf(connected, 1)).toMatchObject([
          { outcome: 'auto_call_disabled', call_id: probe.callId },
        ]);
        const { today } = await claimsOf(probe.callId);
        expect(await ownersOf(today)).toEqual({});
      }
    },
  );
});
