import { anAcceptedCall } from '../support/accepted-call.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall } from '../support/rest.ts';
import {
  eventually,
  hangUpAt,
  passTime,
  recordIsComplete,
  recoverCalls,
  voice,
  workersAreIdle,
} from '../support/stack.ts';

const reaches = (org: TestOrg, callId: string, wanted: string) =>
  eventually(
    () => readCall(org, callId),
    ({ status }) => status === wanted,
  );

describe('recover-calls', () => {
  it.each(['report', 'ended-and-report'] as const)(
    'reads the end from the platform when its %s never comes',
    async (dropLast) => {
      const org = await anOrg();
      const phone_number = aPhoneNumber();
      await voice.script(phone_number, { behaviour: 'answer', talkSeconds: 70, dropLast });
      const callId = await placeCall(org, { phone_number });
      await reaches(org, callId, 'in_progress');
      await recordIsComplete(phone_number);
      await passTime(190);
      await recoverCalls();
      expect(await endOf(org, callId)).toMatchObject({ status: 'completed', duration: 70, cost: 2 });
      expect((await stores.calls.get(callId))?.transcript_key).toBeTruthy();
      await expectBalancedBooks(org.orgId);
    },
  );

  it('waits for the report of a call that has just ended, so that no transcript is lost', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, {
      behaviour: 'answer',
      talkSeconds: 400,
      // Long enough for recover-calls to start on a slow machine.
      reportSeconds: 4_000,
      dropLast: 'ended-and-report',
    });
    const callId = await placeCall(org, { phone_number });
    await reaches(org, callId, 'in_progress');
    await passTime(200);
    await eventually(
      () => voice.calls(phone_number),
      ([call]) => call?.call.status === 'ended',
    );
    await recoverCalls();
    expect((await readCall(org, callId)).status).toBe('in_progress');
    await recordIsComplete(phone_number);
    await passTime(600);
    await recoverCalls();
    expect((await endOf(org, callId)).status).toBe('completed');
    expect((await stores.calls.get(callId))?.transcript_key).toBeTruthy();
  });

  it('ignores a call that the platform reports as running', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    // Rings until the test hangs up.
    await voice.script(phone_number, { behaviour: 'answer', ringSeconds: 1_000_000 });
    const callId = await placeCall(org, { phone_number });
    await reaches(org, callId, 'ringing');
    await passTime(240);
    await recoverCalls();
    expect((await readCall(org, callId)).status).toBe('ringing');
    await hangUpAt(phone_number);
    expect(await endOf(org, callId)).toMatchObject({ status: 'canceled', ended_reason: 'manually-canceled' });
  });

  it('ends a call as lost an hour after its latest possible end if the platform no longer knows it', async () => {
    const org = await anOrg();
    const { callId } = await anAcceptedCall(org);
    await voice.reset();
    await voice.settings({ speed: 200, slots: 10_000 });
    await passTime(60 * 60);
    await recoverCalls();
    expect((await readCall(org, callId)).status).toBe('dialing');
    await passTime(11 * 60);
    await recoverCalls();
    expect(await endOf(org, callId)).toMatchObject({ status: 'failed', ended_reason: 'lost', cost: 0 });
    expect((await expectBalancedBooks(org.orgId)).held).toBe(0);
  });

  it('sends a waiting call whose dial message was lost', async () => {
    const org = await anOrg({ limits: { max_live_calls: 0 } });
    const callId = await placeCall(org, { phone_number: aPhoneNumber() });
    // The message is consumed without a slot, and no slot is handed over to this org.
    await workersAreIdle();
    expect((await readCall(org, callId)).status).toBe('queued');
    await stores.organizations.update(org.orgId, { max_live_calls: 1 });
    await passTime(190);
    await recoverCalls();
    expect((await endOf(org, callId)).status).toBe('completed');
  });

  it('runs by its schedule, every five minutes', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'answer', dropLast: 'ended-and-report' });
    const callId = await placeCall(org, { phone_number });
    await reaches(org, callId, 'in_progress');
    await recordIsComplete(phone_number);
    await passTime(200);
    // A run that this made due may or may not have come too early for the call.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await passTime(301);
    expect((await endOf(org, callId)).status).toBe('completed');
  });
});
