import { describe, expect, it } from '@jest/globals';
import { recordingLink } from '../../../../shared/domain/after-call/recording-link.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { openRecording } from '../../../../shared/operations/after-call/open-recording.ts';
import { aCall } from '../../support/call.ts';

const now = new Date('2026-03-02T06:00:00.000Z');
const call = aCall({ status: 'completed', recording: { state: 'stored', key: 'recordings/org/call.wav' } });
const partsOf = (key: string, callId = call.call_id) =>
  Object.fromEntries(new URL(recordingLink(key, 'https://calls.example', callId, now)).searchParams);

function aWorld({
  kept = ['key'],
  fresh = ['key'],
  found = call,
  at = now,
}: {
  kept?: string[];
  fresh?: string[];
  found?: typeof call | null;
  at?: Date;
} = {}) {
  const looks: string[] = [];
  const reads: (boolean | undefined)[] = [];
  const open = (parts: Parameters<typeof openRecording>[2], callId = call.call_id) =>
    openRecording(
      {
        calls: {
          get: async (id) => {
            looks.push(id);
            return found ?? undefined;
          },
        },
        linkKeys: async (isFresh) => {
          reads.push(isFresh);
          return (isFresh ? fresh : kept) as [string];
        },
        linkTo: async (key) => `https://s3.example/${key}`,
        now: () => at,
      },
      callId,
      parts,
    );
  return { open, looks, reads };
}

describe('opening a recording', () => {
  it('leads a valid link to the file', async () => {
    const { open, reads } = aWorld();
    expect(await open(partsOf('key'))).toEqual({ kind: 'found', url: 'https://s3.example/recordings/org/call.wav' });
    expect(reads).toEqual([undefined]);
  });

  it('knows a key that was replaced a moment ago', async () => {
    const { open } = aWorld({ kept: ['old'], fresh: ['new', 'old'] });
    expect((await open(partsOf('new'))).kind).toBe('found');
  });

  it('looks up no call for a link that is not ours, or over', async () => {
    const forged = aWorld();
    for (const parts of [{}, partsOf('other'), { ...partsOf('key'), signature: 'x' }, partsOf('key', 'call_other')])
      expect(await forged.open(parts)).toEqual({ kind: 'invalid_link' });
    const late = aWorld({ at: new Date(secondsAfter(now, 30 * 24 * 60 * 60)) });
    expect(await late.open(partsOf('key'))).toEqual({ kind: 'link_expired' });
    expect([...forged.looks, ...late.looks]).toEqual([]);
  });

  it('tells a valid link that there is no recording, whatever the reason', async () => {
    for (const recording of [{ state: 'none' }, { state: 'failed' }, { state: 'pending' }] as const)
      expect(await aWorld({ found: { ...call, recording } }).open(partsOf('key'))).toEqual({
        kind: 'recording_not_found',
      });
    expect(await aWorld({ found: null }).open(partsOf('key'))).toEqual({ kind: 'recording_not_found' });
  });
});
