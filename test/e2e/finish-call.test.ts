import { GetObjectCommand } from '@aws-sdk/client-s3';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../support/rest.ts';
import { eventually, filesBucket, inTime, s3, voice } from '../support/stack.ts';

const finished = (callId: string) =>
  eventually(
    () => stores.calls.get(callId),
    (call) => call?.finished_at !== undefined,
  );

describe('finish-call', () => {
  it('copies the recording of an answered call into the private bucket', async () => {
    const org = await anOrg();
    const callId = await placeCall(org, { phone_number: aPhoneNumber() });
    await endOf(org, callId);
    const call = await finished(callId);
    expect(call?.recording).toEqual({ state: 'stored', key: `recordings/${org.orgId}/${callId}.wav` });
    expect(call?.unfinished).toBeUndefined();
    const { Body, ContentType } = await s3.send(
      new GetObjectCommand({ Bucket: await filesBucket(), Key: call?.recording?.key }),
    );
    expect(ContentType).toBe('audio/wav');
    expect(
      Buffer.from((await Body?.transformToByteArray()) ?? [])
        .subarray(0, 4)
        .toString(),
    ).toBe('RIFF');
  });

  it('finishes a call that nobody answered without looking for a recording', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callId = await placeCall(org, { phone_number });
    expect((await finished(callId))?.recording).toEqual({ state: 'none' });
  });

  it('looks again for a recording that is not there yet', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'answer', recordingDelaySeconds: 100 });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    await eventually(
      () => stores.calls.get(callId),
      (call) => call?.recording_after !== undefined,
    );
    const call = await inTime(
      () => stores.calls.get(callId),
      (found) => found?.finished_at !== undefined,
      { seconds: 50, most: 20 },
    );
    expect(call?.recording?.state).toBe('stored');
  });

  it('finishes without the recording half an hour after the end, and says why', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'answer', noRecording: true });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    const call = await inTime(
      () => stores.calls.get(callId),
      (found) => found?.finished_at !== undefined,
      { seconds: 92, most: 40 },
    );
    expect(call?.recording).toEqual({ state: 'failed', error: 'the platform has no recording' });
  });
});
