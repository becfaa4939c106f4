import { HeadObjectCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { recordingLink } from '../../../../shared/domain/after-call/recording-link.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { linkRecording } from '../../../../shared/operations/after-call/link-recording.ts';
import { openRecording } from '../../../../shared/operations/after-call/open-recording.ts';
import { recordingPresence } from '../../../../shared/stores/after-call/recording-links.ts';
import { aCall } from '../../support/call.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const now = new Date(START);
const call = aCall({ status: 'completed', recording: { state: 'stored', key: 'recordings/org/call.wav' } });
const partsOf = (key: string, callId = call.call_id) =>
  Object.fromEntries(new URL(recordingLink(key, 'https://calls.example', callId, now)).searchParams);

function aLinkOpener({ cached = ['key'], fresh = ['key'], stored = call as Call | null } = {}) {
  const world = aWorld();
  if (stored) world.putCall(stored);
  const reads: (boolean | undefined)[] = [];
  const deps = {
    ...world.common,
    calls: world.stores.recordedCalls,
    linkKeys: async (isFresh?: boolean) => {
      reads.push(isFresh);
      return (isFresh ? fresh : cached) as [string];
    },
    linkTo: async (key: string) => `https://s3.example/${key}`,
  };
  const open = (parts: Parameters<typeof openRecording>[2]) => openRecording(deps, call.call_id, parts);
  return Object.assign(world, { open, reads });
}

describe('opening a recording', () => {
  it('redirects a valid link to the file', async () => {
    const { open, reads } = aLinkOpener();
    expect(await open(partsOf('key'))).toEqual({ kind: 'found', url: 'https://s3.example/recordings/org/call.wav' });
    expect(reads).toEqual([undefined]);
  });

  it('accepts a key that was replaced recently', async () => {
    const { open } = aLinkOpener({ cached: ['old'], fresh: ['new', 'old'] });
    expect((await open(partsOf('new'))).kind).toBe('found');
  });

  it('reads no call for a forged or expired link', async () => {
    const world = aLinkOpener();
    for (const parts of [{}, partsOf('other'), { ...partsOf('key'), signature: 'x' }, partsOf('key', 'call_other')])
      expect(await world.open(parts)).toEqual({ kind: 'invalid_link' });
    world.pass(30 * 24 * 60 * 60);
    expect(await world.open(partsOf('key'))).toEqual({ kind: 'link_expired' });
    expect(world.requests).toEqual([]);
  });

  it('finds no recording whose retention has passed, even if the bucket still has it', async () => {
    const kept = { ...call, ended_at: START, keep: { recordings: 7 } };
    const world = aLinkOpener({ stored: kept });
    world.pass(7 * 24 * 60 * 60 - 1);
    expect((await world.open(partsOf('key'))).kind).toBe('found');
    world.pass(1);
    expect(await world.open(partsOf('key'))).toEqual({ kind: 'recording_not_found' });
    const linking = { ...world.common, linkTo: async (key: string) => key, isStored: async () => true };
    expect(await linkRecording(linking, call.org_id, call.call_id)).toEqual({ kind: 'recording_not_found' });
  });

  it('gives a valid link the same answer for every reason why a recording does not exist', async () => {
    const without = (['none', 'failed', 'pending'] as const).map((state) => ({ ...call, recording: { state } }));
    for (const stored of [...without, null])
      expect(await aLinkOpener({ stored }).open(partsOf('key'))).toEqual({ kind: 'recording_not_found' });
  });
});

describe('a link to a recording for the dashboard', () => {
  const linkOf = (isStored: (key: string) => Promise<boolean>) => {
    const { common, putCall } = aWorld();
    putCall(call);
    const deps = { ...common, linkTo: async (key: string) => `https://s3.example/${key}`, isStored };
    return linkRecording(deps, call.org_id, call.call_id);
  };

  it('is created only for a file in the bucket', async () => {
    expect(await linkOf(async (key) => key === 'recordings/org/call.wav')).toMatchObject({ kind: 'found' });
    expect(await linkOf(async () => false)).toEqual({ kind: 'recording_not_found' });
  });

  it.each([
    [404, false],
    [403, false],
    [503, 'fails'],
  ])('treats the answer %d of the storage as: %s', async (httpStatusCode, expected) => {
    const s3 = new S3Client({ region: 'ap-south-1' });
    const sent: unknown[] = [];
    s3.send = (async (command: unknown) => {
      sent.push(command);
      throw new S3ServiceException({ name: 'Unknown', $fault: 'client', $metadata: { httpStatusCode } });
    }) as typeof s3.send;
    expect(await recordingPresence(s3, 'files')('recordings/gone.wav').catch(() => 'fails')).toBe(expected);
    expect(sent).toEqual([expect.any(HeadObjectCommand)]);
  });
});
