import { GetObjectTaggingCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { queueMessage } from '../../support/calls/accepted-call.ts';
import { anOrg, changeOrg, stores, untilCall } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../../support/rest/rest.ts';
import {
  deadLettersOf,
  eventually,
  filesBucket,
  s3,
  secondsAgo,
  voice,
  workersAreIdle,
} from '../../support/stack/stack.ts';

const LONG = 'I would like to know more. '.repeat(5_000);

/** Lists the long transcripts of a call in the bucket, with the days of their retention. */
async function reportedOf(callId: string): Promise<Record<string, string | undefined>> {
  const Bucket = await filesBucket();
  const Prefix = `reported-transcripts/${callId}.`;
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix }));
  const tagged = Contents.map(async ({ Key = '' }) => {
    const { TagSet } = await s3.send(new GetObjectTaggingCommand({ Bucket, Key }));
    return [Key, TagSet?.[0]?.Value];
  });
  return Object.fromEntries(await Promise.all(tagged));
}

/** Reports a transcript that is too long for the queue, as the webhook does. */
async function reportLong(callId: string, platform_id: string, report: string): Promise<string> {
  const transcript_key = await stores.files.putReportedTranscript({ callId, report }, LONG);
  const ended_at = secondsAgo(0);
  await queueMessage(callId, {
    kind: 'report',
    platform_id,
    outcome: 'completed',
    reason: 'x',
    ended_at,
    transcript_key,
  });
  return transcript_key;
}

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
    await queueMessage(`call_${'0'.repeat(32)}`, { kind: 'progress', platform_id: 'x', status: 'ringing' });
    await workersAreIdle();
    expect(await deadLettersOf('voice-events')).toBe(before);
  });

  it('stores long transcripts with their retention, and removes those of a second report or an unknown call', async () => {
    const org = await anOrg();
    await changeOrg(org.orgId, { retention_transcripts: 90 });
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'answer', transcript: [{ role: 'user', message: LONG }] });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    const { transcript_key = '', lines_key = '', platform_id = '' } = await untilCall(callId, () => true);
    const kept = { [transcript_key]: '90', [lines_key]: '90' };
    const isKept = (found: object) => expect.objectContaining(kept).asymmetricMatch(found);
    expect(await eventually(() => reportedOf(callId), isKept)).toEqual(kept);

    const [, report = ''] = transcript_key.split('.');
    const unknown = `call_${'1'.repeat(32)}`;
    const again = [
      reportLong(callId, platform_id, report),
      reportLong(callId, platform_id, 'second'),
      reportLong(unknown, 'x', '1'),
    ];
    const [replaced] = await Promise.all(again);
    await workersAreIdle();
    expect([replaced, await reportedOf(callId), await reportedOf(unknown)]).toEqual([transcript_key, kept, {}]);
  });
});
