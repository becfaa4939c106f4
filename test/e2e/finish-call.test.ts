import { randomUUID } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { callIdFor } from '../../shared/domain/ids.ts';
import { aCrmBConnection } from '../support/crm-b.ts';
import { anEndedCall, aQuietLead } from '../support/finished-call.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, request } from '../support/rest.ts';
import { eventually, filesBucket, inTime, model, s3, voice } from '../support/stack.ts';

const finished = (callId: string) =>
  eventually(
    () => stores.calls.get(callId),
    (call) => call?.finished_at !== undefined,
  );

describe('finish-call', () => {
  it('analyzes every answered call, and no other', async () => {
    const org = await anOrg();
    const answered = aPhoneNumber();
    const said = [{ role: 'user' as const, message: 'I have a complaint. Do not call me again.' }];
    await voice.script(answered, { behaviour: 'answer', transcript: said });
    const voicemail = aPhoneNumber();
    await voice.script(voicemail, { behaviour: 'voicemail', transcript: said });
    const [callId, unheard] = [
      await placeCall(org, { phone_number: answered }),
      await placeCall(org, { phone_number: voicemail }),
    ];
    const call = await finished(callId);
    expect(call).toMatchObject({
      analysis: { state: 'done', result: { lead_intent: 'complaint', sentiment: 'negative', do_not_call: true } },
      analyzed_at: expect.any(String),
      do_not_call_at: expect.any(String),
    });
    expect(call?.unfinished).toBeUndefined();
    const left = await finished(unheard);
    expect(left?.duration).toBeGreaterThan(0);
    expect(left?.analysis).toEqual({ state: 'none', error: 'nobody answered' });
    expect(await stores.doNotCall.listOfOrg(org.orgId)).toMatchObject([{ phone: answered, call_id: callId }]);
  });

  it('goes on to CRM-B without an analysis an hour after the end, records why, and allows a later analysis', async () => {
    const connected = await aCrmBConnection();
    const { org } = connected;
    const leadId = await aQuietLead();
    const mark = `mark-${randomUUID()}`;
    await model.fault({ kind: 'unavailable', whenTranscriptHas: mark, times: null });
    const call_id = callIdFor(org.orgId, mark);
    await anEndedCall(connected, leadId, {
      call_id,
      transcript_key: await stores.files.putTranscript({ org_id: org.orgId, call_id }, `User: Thank you. ${mark}\n`),
      analysis: { state: 'pending' },
    });
    const call = await inTime(
      () => stores.calls.get(call_id),
      (found) => found?.finished_at !== undefined,
      { seconds: 240, most: 30 },
    );
    expect(call?.analysis).toEqual({ state: 'failed', error: expect.stringContaining('ServiceUnavailable') });
    expect(call?.analyzed_at).toBeUndefined();
    const waited = Date.parse(call?.finished_at ?? '') - Date.parse(call?.ended_at ?? '');
    expect(waited).toBeGreaterThanOrEqual(3_600_000);
    const synced = await eventually(
      () => stores.calls.get(call_id),
      (found) => found?.unfinished === undefined,
    );
    expect(synced).toMatchObject({ crm_b_sync: 'done', call_log: { state: 'written' } });

    await model.clearFaults(mark);
    const answer = await request('POST', `/v1/calls/${call_id}/analyze`, { key: org.apiKey });
    expect(answer.status).toBe(200);
    expect(await stores.calls.get(call_id)).toMatchObject({ analysis: { state: 'done' }, call_log: synced?.call_log });
  });

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

  it('finishes an unanswered call without looking for a recording', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callId = await placeCall(org, { phone_number });
    expect((await finished(callId))?.recording).toEqual({ state: 'none' });
  });

  it('retries a recording that is not available yet', async () => {
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

  it('finishes without the recording half an hour after the end, and records why', async () => {
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
