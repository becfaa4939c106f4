import type { ActivityEntry } from '../../shared/domain/connections/activity.ts';
import type { ChannelReport } from '../../shared/operations/connections/check-watch-channels.ts';
import { type CrmBConnection, disconnectAll } from '../support/crm-b.ts';
import { activityOf, passTimeUntilIst } from '../support/leads.ts';
import { stores } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { crmB, eventually, passTime, runSchedule, voice } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import { aConsentedConnection, expectWrittenOnce, newLead } from './support/crm-b.ts';
import {
  atEveryRequest,
  disturbed,
  expectAllKept,
  faultsToTry,
  onLinux,
  type Probe,
  settle,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

/** Longer than the limit after which a channel with an undelivered change counts as silent. */
const SILENT_SECONDS = 20 * 60;

onLinux('receive-crm-b-notification', () => {
  const faults = disturbed('receive-crm-b-notification');
  const made: CrmBConnection[] = [];
  // Far from midnight IST: a lead repeated on the next day is called again.
  beforeAll(() => passTimeUntilIst('10:00'));
  afterAll(() => disconnectAll(made));

  async function aConnected() {
    const connected = await aConsentedConnection();
    made.push(connected);
    const phone = aPhoneNumber();
    const create = async () => (await crmB.putLeads([newLead(connected, phone)]))[0] ?? '';
    return { connected, phone, create };
  }

  async function expectCalledOnce(probes: readonly Probe[]) {
    await settle(probes);
    const calls = await expectAllKept(probes);
    const { byNumber } = await voice.allRings();
    for (const { status, phone_number } of calls)
      expect([phone_number, status, byNumber[phone_number]]).toEqual([phone_number, 'completed', 1]);
  }

  it.each(faultsToTry)(
    'turns a lead with a duplicate notification into one call that rings once: %s at each effect',
    async (fault) => {
      const leads: string[] = [];
      const { probes, kinds } = await atEveryRequest(async (target) => {
        const { connected, phone, create } = await aConnected();
        await coldStart('receive-crm-b-notification');
        const armed = faults().arm('receive-crm-b-notification', { ...target, fault });
        const leadId = await create();
        leads.push(leadId);
        await crmB.untilIdle();
        const struck = armed.struck !== undefined;
        armed.disarm();
        // The CRM does not retry; a person changes the lead once more.
        await crmB.editLead(leadId, { City: 'Pune' });
        await crmB.untilIdle();
        const entries = await eventually(() => activityOf(connected, 1), hasItsCall);
        const callId = entries.find(isCalled)?.call_id ?? '';
        return { probe: { org: connected.org, phone, callId }, armed, struck };
      });
      expect(kinds).toEqual(['DynamoDB GetItem connections', 'AmazonSQS SendMessageBatch']);
      await expectCalledOnce(probes);
      await expectWrittenOnce(leads);
    },
  );

  it.each(faultsToTry)(
    'loses no lead whose only notification met a fault: %s at each effect, then the silent channel is caught up',
    async (fault) => {
      const leads: string[] = [];
      const { probes } = await atEveryRequest(async (target) => {
        const { connected, phone, create } = await aConnected();
        await coldStart('receive-crm-b-notification');
        const armed = faults().arm('receive-crm-b-notification', { ...target, fault });
        // Later than the arming by more than the allowed clock skew of the CRM.
        await passTime(70);
        leads.push(await create());
        await crmB.untilIdle();
        await passTime(SILENT_SECONDS);
        await runSchedule<ChannelReport>('check-watch-channels');
        const entries = await eventually(() => activityOf(connected, 1), hasItsCall);
        const callId = entries.find(isCalled)?.call_id ?? '';
        return { probe: { org: connected.org, phone, callId }, armed, struck: armed.struck !== undefined };
      });
      await expectCalledOnce(probes);
      await expectWrittenOnce(leads);
      for (const { connectionId } of made)
        expect((await stores.activity.list(connectionId)).filter(isCalled)).toHaveLength(1);
    },
  );
});

const isCalled = ({ outcome }: ActivityEntry): boolean => outcome === 'call queued';
const hasItsCall = (entries: readonly ActivityEntry[]): boolean => entries.some(isCalled);
