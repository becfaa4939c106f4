import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../support/rest.ts';
import { now, voice } from '../support/stack.ts';

describe('hand-over-slots', () => {
  it('gives a freed slot to the oldest waiting call that may be dialed', async () => {
    const org = await anOrg({ limits: { max_live_calls: 1 } });
    const phones = Array.from({ length: 3 }, aPhoneNumber);
    // The first one talks for some seconds, in which the dial messages of the others are used up.
    const [first = '', ...others] = phones;
    await voice.script(first, { behaviour: 'answer', talkSeconds: 590 });
    for (const phone of others) await voice.script(phone, { behaviour: 'answer', talkSeconds: 60 });
    const calls: string[] = [];
    for (const phone_number of phones) calls.push(await placeCall(org, { phone_number }));
    await Promise.all(calls.map((callId) => endOf(org, callId, 30)));
    const dialedAt = await Promise.all(
      calls.map(async (callId) => (await stores.calls.get(callId))?.dial_claimed_at ?? ''),
    );
    expect(dialedAt).toEqual([...dialedAt].sort());
    expect(dialedAt.every((at) => at < now().toISOString())).toBe(true);
  });
});
