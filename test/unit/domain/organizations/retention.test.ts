import { queuedLeadCall, scheduledCall } from '../../../../shared/domain/calls/placing/new-call.ts';
import { withKeptFiles } from '../../../../shared/domain/calls/retention/kept-files.ts';
import {
  NO_RETENTION,
  readRetention,
  retentionOf,
  UNLIMITED,
} from '../../../../shared/domain/organizations/retention.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { aCall } from '../../support/call.ts';
import { anAssistant, anOrg } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const DAY = 86_400;
const placed = { call_id: 'call_1', request_id: 'r', phone_number: '+919876543210', request_metadata: {} };

describe('the retention of files', () => {
  it("is the organization's setting, else the stage's default, else unlimited", () => {
    const stage = { recordings: 90, transcripts: 365 };
    expect(retentionOf({}, stage)).toEqual(stage);
    expect(retentionOf({ retention_recordings: 7 }, stage)).toEqual({ recordings: 7, transcripts: 365 });
    expect(retentionOf({ retention_recordings: UNLIMITED }, stage)).toEqual({ transcripts: 365 });
    expect([retentionOf({}), retentionOf({ retention_transcripts: UNLIMITED })]).toEqual([undefined, undefined]);
  });

  it('is never longer for files than for their call', () => {
    expect(retentionOf({ retention_calls: 90, retention_recordings: 30, retention_transcripts: 365 })).toEqual({
      calls: 90,
      recordings: 30,
      transcripts: 90,
    });
    expect(retentionOf({ retention_recordings: UNLIMITED }, { calls: 7, activity: 30 })).toEqual({
      ...{ calls: 7, recordings: 7, transcripts: 7 },
      activity: 30,
    });
  });

  it('is a stage setting of known kinds and durations', () => {
    expect(readRetention('recordings=90,transcripts=365')).toEqual({ recordings: 90, transcripts: 365 });
    expect(readRetention('calls=365,activity=30')).toEqual({ calls: 365, activity: 30 });
    expect(readRetention(NO_RETENTION)).toEqual({});
    for (const wrong of [
      'recordings',
      'recordings=91',
      'calls=0',
      'activity=180',
      'toString=7',
      'recordings=90=1',
      '',
      'recordings=7,',
      'x=7',
    ])
      expect(() => readRetention(wrong)).toThrow('is not a retention');
  });

  it('is stored with every new call', () => {
    const org = { ...anOrg({ retention_recordings: 30 }), retention: { recordings: 7, transcripts: 180 } };
    const now = new Date(START);
    const opening = { from: now, to: new Date(secondsAfter(START, 3_600)) };
    for (const call of [
      queuedLeadCall(placed, org, anAssistant(), now, undefined),
      scheduledCall(placed, org, anAssistant(), now, opening),
    ])
      expect(call.keep).toEqual({ recordings: 30, transcripts: 180 });
    expect(queuedLeadCall(placed, anOrg(), anAssistant(), now, undefined)).not.toHaveProperty('keep');
  });
});

describe('a call whose files have a retention', () => {
  const call = aCall({
    status: 'completed',
    ended_at: START,
    keep: { recordings: 7, transcripts: 30 },
    transcript_key: 'a.txt',
    lines_key: 'a.json',
    recording: { state: 'stored', key: 'a.wav' },
  });
  const dayAfter = (days: number) => withKeptFiles(call, new Date(secondsAfter(START, days * DAY)));

  it('has each file until its days since the end have passed', () => {
    expect(withKeptFiles(call, new Date(secondsAfter(START, 7 * DAY - 1)))).toEqual(call);
    expect(dayAfter(7)).toEqual({ ...call, recording: { state: 'none' } });
    expect(dayAfter(30)).toMatchObject({
      transcript_key: undefined,
      lines_key: undefined,
      recording: { state: 'none' },
    });
  });

  it('has all its files if they are kept for good, it has not ended, or its recording is pending', () => {
    const later = new Date(secondsAfter(START, 900 * DAY));
    const pending = { state: 'pending' as const };
    for (const over of [{ keep: undefined }, { ended_at: undefined }])
      expect(withKeptFiles({ ...call, ...over }, later)).toEqual({ ...call, ...over });
    expect(withKeptFiles({ ...call, recording: pending }, later).recording).toEqual(pending);
  });
});
