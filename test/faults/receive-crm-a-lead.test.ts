import type { StoredEntry } from '../../shared/stores/connections/activity.ts';
import {
  aConnection,
  activityOf,
  deliver,
  leadBody,
  passTimeUntilIst,
  type TestConnection,
} from '../support/leads/leads.ts';
import { anOrg } from '../support/organizations/orgs.ts';
import { aPhoneNumber } from '../support/rest/rest.ts';
import { eventually } from '../support/stack/stack.ts';
import { CREDITS } from './support/probes.ts';
import { expectCompletedOnce } from './support/promises.ts';
import { disturbed, faultsToTry, isThrough, onLinux } from './support/rounds.ts';

/** A CRM that retries its delivery until it is accepted, and once more. @returns the number of accepted deliveries */
async function deliverTwice(connected: TestConnection, body: object): Promise<number> {
  let accepted = 0;
  for (let attempt = 1; attempt <= 6 && accepted < 2; attempt += 1) {
    const { status } = await deliver(connected, body);
    if (status === 200) accepted += 1;
    else expect([500, 502, 503]).toContain(status);
  }
  return accepted;
}

const isCalled = ({ outcome }: StoredEntry): boolean => outcome === 'call queued';

onLinux('receive-crm-a-lead, whose sender repeats its delivery', () => {
  const { atEveryRequest } = disturbed('receive-crm-a-lead');
  // Far from midnight IST: a lead repeated on the next day is called again.
  beforeAll(() => passTimeUntilIst('10:00'));

  it.each(faultsToTry)('turns the lead into one call that rings once: %s at each kind of effect', async (fault) => {
    const { rounds, probes, kinds } = await atEveryRequest(fault, async (arm) => {
      const connected = await aConnection({}, await anOrg({ credits: CREDITS }));
      const phone = aPhoneNumber();
      await arm();
      expect(await deliverTwice(connected, leadBody({ Phone: phone }))).toBe(2);
      const entries = await eventually(
        () => activityOf(connected, 2),
        (found) => found.some(isCalled),
      );
      const callId = entries.find(isCalled)?.call_id ?? '';
      return { probe: { org: connected.org, phone, callId }, isThrough, connected };
    });
    expect(kinds['receive-crm-a-lead']).toEqual([
      'DynamoDB GetItem connections',
      'AmazonSQS SendMessageBatch',
      'DynamoDB UpdateItem connections',
    ]);
    await expectCompletedOnce(probes);
    for (const { connected } of rounds) {
      const entries = await activityOf(connected, 2);
      expect(entries.filter(isCalled)).toHaveLength(1);
      for (const entry of entries.filter((one) => !isCalled(one)))
        expect(['already_called', 'already_called_race']).toContain(entry.outcome);
    }
  });
});
