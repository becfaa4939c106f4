import { anAcceptedCall, endAcceptedCalls, queueMessage } from '../../support/calls/accepted-call.ts';
import { anOrg, changeOrg, liveCallsOf, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../../support/rest/rest.ts';
import { now, secondsAgo, voice, workersAreIdle } from '../../support/stack/stack.ts';

afterAll(endAcceptedCalls);

describe('hand-over-slots', () => {
  it('gives a freed slot to the longest waiting call of the organization, even if a later call expires first', async () => {
    const org = await anOrg({ limits: { max_live_calls: 1 } });
    const { callId: first, platformId } = await anAcceptedCall(org);
    const calls = [first];
    for (const max_wait_minutes of [120, 15]) {
      const phone_number = aPhoneNumber();
      await changeOrg(org.orgId, { max_wait_minutes });
      await voice.script(phone_number, { behaviour: 'answer', talkSeconds: 60 });
      calls.push(await placeCall(org, { phone_number }));
    }
    // Waits until a later change has passed through the stream.
    const another = await anOrg();
    await endOf(another, await placeCall(another, { phone_number: aPhoneNumber() }));
    await workersAreIdle();
    for (const callId of calls.slice(1)) expect((await stores.calls.get(callId))?.dial_claimed_at).toBeUndefined();
    await queueMessage(first, {
      kind: 'report',
      platform_id: platformId,
      outcome: 'no_answer',
      reason: 'over',
      ended_at: secondsAgo(0),
    });
    await Promise.all(calls.map((callId) => endOf(org, callId, 90)));
    const dialedAt = await Promise.all(
      [0, 1, 2].map(async (index) => (await stores.calls.get(calls[index] ?? ''))?.dial_claimed_at ?? ''),
    );
    expect(dialedAt).toEqual([...dialedAt].sort());
    expect(dialedAt.every((at) => at < now().toISOString())).toBe(true);
    expect(await liveCallsOf(org)).toBe(0);
  });
});
