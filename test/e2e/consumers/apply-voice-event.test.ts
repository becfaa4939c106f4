import { tell } from '../../support/calls/accepted-call.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../../support/rest/rest.ts';
import { deadLettersOf, voice, workersAreIdle } from '../../support/stack/stack.ts';

describe('apply-voice-event', () => {
  it('stores the transcript before the end is reported', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, {
      behaviour: 'answer',
      transcript: [
        { role: 'bot', message: 'Namaste.' },
        { role: 'user', message: 'What does the flat cost?' },
      ],
    });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    const { transcript_key } = (await stores.calls.get(callId)) ?? {};
    expect(transcript_key).toBe(`transcripts/${org.orgId}/${callId}.txt`);
    expect(await stores.files.getTranscript(transcript_key ?? '')).toContain('What does the flat cost?');
  });

  it('drops messages about unknown calls, without a dead letter', async () => {
    const before = await deadLettersOf('voice-events');
    await tell(`call_${'0'.repeat(32)}`, { kind: 'progress', platform_id: 'x', status: 'ringing' });
    await workersAreIdle();
    expect(await deadLettersOf('voice-events')).toBe(before);
  });
});
