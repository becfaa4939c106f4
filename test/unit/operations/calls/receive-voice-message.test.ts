import type { PlatformMessage } from '../../../../shared/domain/calls/platform-message.ts';
import type { VoiceEvent } from '../../../../shared/messages/voice-event.ts';
import { receiveVoiceMessage } from '../../../../shared/operations/calls/receive-voice-message.ts';
import { aReport } from '../../support/call-world.ts';

async function received(message: PlatformMessage) {
  const sent: VoiceEvent[] = [];
  const stored: string[] = [];
  const put = (ending: string) => async (callId: string) => {
    stored.push(`${callId}.${ending}`);
    return `reported-transcripts/${callId}.${ending}`;
  };
  const deps = {
    read: () => ({ callId: 'call_1', message }),
    isGenuine: async () => true,
    files: { putReportedTranscript: put('txt'), putReportedLines: put('json') },
    voiceEvents: { send: async (event: VoiceEvent) => void sent.push(event), sendMany: async () => undefined },
    correlate: () => undefined,
  };
  expect(await receiveVoiceMessage(deps, {}, 'signature')).toBe('queued');
  return { message: sent[0]?.message, stored };
}

const linesOf = (text: string) => [{ who: 'person' as const, text, from: 0, to: 1 }];

describe('a report of the voice platform', () => {
  it('is queued with its transcript and lines', async () => {
    const report = aReport({ lines: linesOf('Namaste.') });
    expect(await received(report)).toEqual({ message: report, stored: [] });
  });

  it('leaves both in the bucket if together they are too long for the queue', async () => {
    const half = 'é'.repeat(30_000);
    const { transcript: _, ...report } = aReport();
    expect(await received({ ...report, transcript: half, lines: linesOf(half) })).toEqual({
      message: {
        ...report,
        transcript_key: 'reported-transcripts/call_1.txt',
        lines_key: 'reported-transcripts/call_1.json',
      },
      stored: ['call_1.txt', 'call_1.json'],
    });
  });

  it('without lines leaves only its transcript there', async () => {
    const { message, stored } = await received(aReport({ transcript: 'a'.repeat(110_000) }));
    expect([message, stored]).toMatchObject([{ transcript_key: 'reported-transcripts/call_1.txt' }, ['call_1.txt']]);
    expect(message).not.toHaveProperty('lines_key');
  });
});
