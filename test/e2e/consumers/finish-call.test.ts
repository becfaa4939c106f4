import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Script } from '../../../local/simulators/voice/scripts.ts';
import { done } from '../../support/admin/cli.ts';
import { anOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../../support/rest/rest.ts';
import { db, eventually, filesBucket, inTime, named, s3, voice } from '../../support/stack/stack.ts';

const finished = (callId: string) =>
  eventually(
    () => stores.calls.get(callId),
    (call) => call?.finished_at !== undefined,
  );

describe('finish-call', () => {
  let org: TestOrg;
  beforeAll(async () => {
    org = await anOrg();
  });

  /** @returns the phone number and the call's id. */
  const aCall = async (script: Script) => {
    const phone = aPhoneNumber();
    await voice.script(phone, script);
    return { phone, callId: await placeCall(org, { phone_number: phone }) };
  };

  it('analyzes every answered call and copies its recording into the private bucket', async () => {
    const transcript = [{ role: 'user' as const, message: 'I have a complaint. Do not call me again.' }];
    const { phone, callId } = await aCall({ behaviour: 'answer', transcript });
    const call = await finished(callId);
    expect(call).toMatchObject({
      analysis: { state: 'done', result: { lead_intent: 'complaint', sentiment: 'negative', do_not_call: true } },
      analyzed_at: expect.any(String),
      do_not_call_at: expect.any(String),
      recording: { state: 'stored', key: `recordings/${org.orgId}/${callId}.wav` },
    });
    expect(call?.unfinished).toBeUndefined();
    expect(await stores.doNotCall.listOfOrg(org.orgId)).toMatchObject([{ phone, call_id: callId }]);
    const { Body, ContentType } = await s3.send(
      new GetObjectCommand({ Bucket: await filesBucket(), Key: call?.recording?.key }),
    );
    expect(ContentType).toBe('audio/wav');
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
  });

  it('stores a recording of unknown length in parts', async () => {
    const size = 9 * 1024 * 1024;
    const { callId } = await aCall({ behaviour: 'answer', streamedRecordingBytes: size });
    const { recording } = (await finished(callId)) ?? {};
    expect(recording).toMatchObject({ state: 'stored', key: `recordings/${org.orgId}/${callId}.wav` });
    const stored = await s3.send(new HeadObjectCommand({ Bucket: await filesBucket(), Key: recording?.key }));
    expect([stored.ContentLength, stored.ContentType]).toEqual([size, 'audio/wav']);
  });

  it('tags a call’s files with its organization’s retention, and again when the retention changes', async () => {
    await done('org', 'update', '--org', org.orgId, '--retention-recordings', '30', '--retention-transcripts', '90');
    const { callId } = await aCall({ behaviour: 'answer' });
    const { recording, transcript_key, lines_key, keep } = (await finished(callId)) ?? {};
    await done(
      'org',
      'update',
      '--org',
      org.orgId,
      '--retention-recordings',
      'none',
      '--retention-transcripts',
      'none',
    );
    expect(keep).toEqual({ recordings: 30, transcripts: 90 });
    const Bucket = await filesBucket();
    const tagOf = async (Key: string | undefined) =>
      (await s3.send(new GetObjectTaggingCommand({ Bucket, Key }))).TagSet;
    expect(await Promise.all([recording?.key, transcript_key, lines_key].map(tagOf))).toEqual(
      ['30', '90', '90'].map((Value) => [{ Key: 'retention-days', Value }]),
    );
    const files = [recording?.key, transcript_key, lines_key];
    const apply = async (days: string, ...flags: string[]) => {
      await done('org', 'update', '--org', org.orgId, '--retention-calls', days);
      const { calls } = await done('org', 'retention', 'apply', '--org', org.orgId, ...flags);
      const Key = { call_id: callId };
      const { Item } = await db.send(new GetCommand({ TableName: named.table('calls'), Key, ConsistentRead: true }));
      const tags = (await Promise.all(files.map(tagOf))).map((set) => set?.[0]?.Value);
      return [calls.changed > 0, Item?.keep, typeof Item?.expires_at, ...tags];
    };
    const first = { recordings: 30, transcripts: 90 };
    const all = { recordings: 7, transcripts: 7, calls: 7 };
    expect(await apply('7', '--dry-run')).toEqual([true, first, 'undefined', '30', '90', '90']);
    expect(await apply('7')).toEqual([true, all, 'number', '7', '7', '7']);
    expect(await apply('7')).toEqual([false, all, 'number', '7', '7', '7']);
    expect(await apply('none')).toEqual([true, undefined, 'undefined', undefined, undefined, undefined]);
  });

  it('stores no part of a recording that is larger than allowed', async () => {
    const call = { org_id: org.orgId, call_id: 'call_large' };
    const body = Readable.from(Array.from({ length: 10 }, () => Buffer.alloc(1024 * 1024)));
    const audio = { body, contentType: 'audio/wav', contentLength: undefined };
    expect(await stores.files.putRecording(call, audio, 9 * 1024 * 1024)).toBeUndefined();
    const [Bucket, Prefix] = [await filesBucket(), `recordings/${org.orgId}/call_large`];
    expect((await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))).Uploads ?? []).toEqual([]);
    expect((await s3.send(new ListObjectsV2Command({ Bucket, Prefix }))).Contents ?? []).toEqual([]);
  });

  it('finishes a voicemail without an analysis, and an unanswered call without a recording', async () => {
    const transcript = [{ role: 'user' as const, message: 'Do not call me again.' }];
    const [voicemail, busy] = [await aCall({ behaviour: 'voicemail', transcript }), await aCall({ behaviour: 'busy' })];
    const left = await finished(voicemail.callId);
    expect(left?.duration).toBeGreaterThan(0);
    expect(left?.analysis).toEqual({ state: 'none', error: 'nobody answered' });
    expect((await finished(busy.callId))?.recording).toEqual({ state: 'none' });
  });

  it('retries a recording that is not available yet', async () => {
    const { callId } = await aCall({ behaviour: 'answer', recordingDelaySeconds: 100 });
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
});
