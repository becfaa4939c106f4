import { anAcceptedCall, secondsAgo, tell } from '../support/accepted-call.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../support/rest.ts';
import { now, voice, workersAreIdle } from '../support/stack.ts';

describe('hand-over-slots', () => {
  it('gives a freed slot to the oldest waiting call that may be dialed', async () => {
    const org = await anOrg({ limits: { max_live_calls: 1 } });
    // The first one lasts until the dial messages of the others are used up.
    const { callId: first, platformId } = await anAcceptedCall(org);
    const calls = [first];
    for (const phone_number of [aPhoneNumber(), aPhoneNumber()]) {
      await voice.script(phone_number, { behaviour: 'answer', talkSeconds: 60 });
      calls.push(await placeCall(org, { phone_number }));
    }
    // A change that came behind theirs has gone its way.
    const another = await anOrg();
    await endOf(another, await placeCall(another, { phone_number: aPhoneNumber() }));
    await workersAreIdle();
    for (const callId of calls.slice(1)) expect((await stores.calls.get(callId))?.dial_claimed_at).toBeUndefined();
    await tell(first, {
      kind: 'report',
      platform_id: platformId,
      outcome: 'no_answer',
      reason: 'over',
      ended_at: secondsAgo(0),
    });
    await Promise.all(calls.map((callId) => endOf(org, callId, 90)));
    const dialedAt = await Promise.all(
      calls.map(async (callId) => (await stores.calls.get(callId))?.dial_claimed_at ?? ''),
    );
    expect(dialedAt).toEqual([...dialedAt].sort());
    expect(dialedAt.every((at) => at < now().toISOString())).toBe(true);
  });
});
