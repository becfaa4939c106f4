import type { ChannelReport } from '../../shared/operations/connections/check-watch-channels.ts';
import type { StoredEntry } from '../../shared/stores/connections/activity.ts';
import { type CrmBConnection, disconnectAll } from '../support/connections/crm-b.ts';
import { activityOf, passTimeUntilIst } from '../support/leads/leads.ts';
import { stores } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { crmB, eventually, passTime, runSchedule } from '../support/stack/stack.ts';
import { aConsentedConnection, expectWrittenOnce, newLead } from './support/crm-b.ts';
import { expectCompletedOnce } from './support/promises.ts';
import { disturbed, faultsToTry, isThrough, onLinux } from './support/rounds.ts';

/** Longer than the limit after which a channel with an undelivered change counts as silent. */
const SILENT_SECONDS = 20 * 60;

const isCalled = ({ outcome }: StoredEntry): boolean => outcome === 'call queued';

onLinux('receive-crm-b-notification', () => {
  const { atEveryRequest } = disturbed('receive-crm-b-notification');
  const made: CrmBConnection[] = [];
  // Far from midnight IST: a lead repeated on the next day is called again.
  beforeAll(() => passTimeUntilIst('10:00'));
  afterAll(() => disconnectAll(made));

  async function aConnected() {
    const connected = await aConsentedConnection();
    made.push(connected);
    const phone = aPhoneNumber();
    const create = async () => {
      const [leadId = ''] = await crmB.putLeads([newLead(connected, phone)]);
      await crmB.untilIdle();
      return leadId;
    };
    const called = async () => {
      const entries = await eventually(
        () => activityOf(connected, 1),
        (found) => found.some(isCalled),
      );
      return { org: connected.org, phone, callId: entries.find(isCalled)?.call_id ?? '' };
    };
    return { create, called };
  }

  it.each(faultsToTry)(
    'turns a lead with a duplicate notification into one call that rings once: %s at each kind of effect',
    async (fault) => {
      const { rounds, probes, kinds } = await atEveryRequest(fault, async (arm) => {
        const { create, called } = await aConnected();
        const disarm = await arm();
        const leadId = await create();
        disarm();
        // The CRM does not retry; a person changes the lead once more.
        await crmB.editLead(leadId, { City: 'Pune' });
        return { probe: await called(), isThrough, leadId };
      });
      expect(kinds['receive-crm-b-notification']).toEqual([
        'DynamoDB GetItem connections',
        'AmazonSQS SendMessageBatch',
        'DynamoDB UpdateItem connections',
      ]);
      await expectCompletedOnce(probes);
      await expectWrittenOnce(rounds.map(({ leadId }) => leadId));
    },
  );

  it.each(faultsToTry)(
    'loses no lead whose only notification met a fault: %s at each kind of effect, then a catch-up of the silent channel',
    async (fault) => {
      const { rounds, probes } = await atEveryRequest(fault, async (arm) => {
        const { create, called } = await aConnected();
        await arm();
        // Later than the arming by more than the allowed clock skew of the CRM.
        await passTime(70);
        const leadId = await create();
        await passTime(SILENT_SECONDS);
        await runSchedule<ChannelReport>('check-watch-channels');
        return { probe: await called(), isThrough, leadId };
      });
      await expectCompletedOnce(probes);
      await expectWrittenOnce(rounds.map(({ leadId }) => leadId));
      for (const { connectionId } of made)
        expect((await stores.activity.list(connectionId)).filter(isCalled)).toHaveLength(1);
    },
  );
});
