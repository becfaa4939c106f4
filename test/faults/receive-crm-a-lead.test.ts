import type { ActivityEntry } from '../../shared/domain/connections/activity.ts';
import { aConnection, activityOf, deliver, leadBody, passTimeUntilIst, type TestConnection } from '../support/leads.ts';
import { anOrg } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { eventually, voice } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import { atEveryRequest, CREDITS, disturbed, expectAllKept, faultsToTry, onLinux, settle } from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

/** A CRM that retries its delivery until accepted, and once more. @returns the number of accepted deliveries. */
async function deliverTwice(connected: TestConnection, body: object): Promise<number> {
  let taken = 0;
  for (let attempt = 1; attempt <= 6 && taken < 2; attempt += 1) {
    const { status } = await deliver(connected, body);
    if (status === 200) taken += 1;
    else expect([500, 502, 503]).toContain(status);
  }
  return taken;
}

onLinux('receive-crm-a-lead, whose sender repeats its delivery', () => {
  const faults = disturbed('receive-crm-a-lead');
  // Far from midnight IST: a lead repeated on the next day is called again.
  beforeAll(() => passTimeUntilIst('10:00'));

  it.each(faultsToTry)('turns the lead into one call that rings once: %s at each effect', async (fault) => {
    const delivered: { connected: TestConnection; taken: number }[] = [];
    const { probes, kinds } = await atEveryRequest(async (target) => {
      const connected = await aConnection({}, await anOrg({ credits: CREDITS }));
      const phone = aPhoneNumber();
      await coldStart('receive-crm-a-lead');
      const armed = faults().arm('receive-crm-a-lead', { ...target, fault });
      const taken = await deliverTwice(connected, leadBody({ Phone: phone }));
      delivered.push({ connected, taken });
      const entries = await eventually(() => activityOf(connected, taken, 45), hasItsCall, 45);
      const callId = entries.find(isCalled)?.call_id ?? '';
      return { probe: { org: connected.org, phone, callId }, armed, struck: armed.struck !== undefined };
    });
    expect(kinds).toEqual(['DynamoDB GetItem connections', 'AmazonSQS SendMessageBatch']);
    await settle(probes);
    const calls = await expectAllKept(probes);
    const { byNumber } = await voice.allRings();
    for (const { status, phone_number } of calls)
      expect([phone_number, status, byNumber[phone_number]]).toEqual([phone_number, 'completed', 1]);
    for (const { connected, taken } of delivered) {
      const entries = await activityOf(connected, taken);
      expect(taken).toBe(2);
      expect(entries.filter(isCalled)).toHaveLength(1);
      for (const entry of entries.filter((one) => !isCalled(one)))
        expect(['already_called', 'already_called_race']).toContain(entry.outcome);
    }
  });
});

const isCalled = ({ outcome }: ActivityEntry): boolean => outcome === 'call queued';
const hasItsCall = (entries: readonly ActivityEntry[]): boolean => entries.some(isCalled);
