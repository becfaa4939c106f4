import { signCall } from '../../../../shared/domain/calls/platform/call-signature.ts';
import type { EndReport, PlatformMessage } from '../../../../shared/domain/calls/platform/platform-message.ts';
import { openVapiMessage } from '../../../../shared/integrations/voice/vapi/messages.ts';
import type { VoiceEvent } from '../../../../shared/messages/voice-event.ts';
import { receiveVoiceMessage } from '../../../../shared/operations/calls/receive-voice-message.ts';
import { comparedInConstantTime } from '../../support/constant-time.ts';
import { aReport } from '../../support/worlds/call-world.ts';

async function received(message: PlatformMessage) {
  const sent: VoiceEvent[] = [];
  const stored: string[] = [];
  const put = (ending: string) => async (of: { callId: string; report: string }) => {
    const key = `reported-transcripts/${of.callId}.${of.report}.${ending}`;
    stored.push(key);
    return key;
  };
  const deps = {
    keys: async () => ['key'],
    files: { putReportedTranscript: put('txt'), putReportedLines: put('json') },
    voiceEvents: { send: async (event: VoiceEvent) => void sent.push(event), sendMany: async () => undefined },
    count: () => undefined,
    correlate: () => undefined,
  };
  const opened = { callIds: ['call_1'], read: () => ({ callId: 'call_1', message }) };
  expect(await receiveVoiceMessage(deps, opened, signCall('key', 'call_1'))).toBe('queued');
  return { message: sent[0]?.message, stored };
}

const linesOf = (text: string) => [{ who: 'person' as const, text, from: 0, to: 1 }];

describe('a report of the voice platform', () => {
  it('is queued with its transcript and lines', async () => {
    const report = aReport({ lines: linesOf('Namaste.') });
    expect(await received(report)).toEqual({ message: report, stored: [] });
  });

  it('leaves both in the bucket if they are too long for the queue', async () => {
    const half = 'é'.repeat(30_000);
    const { transcript: _, ...report } = aReport();
    const { message, stored } = await received({ ...report, transcript: half, lines: linesOf(half) });
    expect(stored.map((key) => key.replace(/[0-9a-f]{32}/, 'REPORT'))).toEqual([
      'reported-transcripts/call_1.REPORT.txt',
      'reported-transcripts/call_1.REPORT.json',
    ]);
    expect(message).toEqual({ ...report, transcript_key: stored[0], lines_key: stored[1] });
  });

  it('leaves only its transcript in the bucket if it has no lines', async () => {
    const { message, stored } = await received(aReport({ transcript: 'a'.repeat(110_000) }));
    expect([message, stored]).toMatchObject([{ transcript_key: stored[0] }, [expect.stringMatching(/\.txt$/)]]);
    expect(message).not.toHaveProperty('lines_key');
  });

  it('replaces only its own transcript in the bucket: not the one of another attempt, or with another text', async () => {
    const long = { transcript: 'a'.repeat(110_000) };
    const keysOf = async (...reports: EndReport[]) =>
      new Set((await Promise.all(reports.map(received))).flatMap(({ stored }) => stored));
    expect((await keysOf(aReport(long), aReport({ ...long, reason: 'x' }))).size).toBe(1);
    const others = [aReport({ ...long, platform_id: 'p2' }), aReport({ transcript: 'b'.repeat(110_000) })];
    expect((await keysOf(aReport(long), ...others)).size).toBe(3);
  });
});

describe('the signature of a message', () => {
  /** Lists the requests of a message with this signature. The key was replaced after the function had read it. */
  async function requestsOf(signature: string | undefined, callId = 'call_1') {
    const requests: string[] = [];
    const queue = async () => void requests.push('queue');
    const deps = {
      keys: async (fresh = false) => {
        requests.push(fresh ? 'fresh keys' : 'keys');
        return fresh ? ['new-key', 'key'] : ['key', 'old-key'];
      },
      files: { putReportedTranscript: async () => '', putReportedLines: async () => '' },
      voiceEvents: { send: queue, sendMany: queue },
      count: (name: string) => void requests.push(name),
      correlate: () => undefined,
    };
    const read = () => ({ callId, message: aReport() });
    return { receipt: await receiveVoiceMessage(deps, { callIds: [callId], read }, signature), requests };
  }

  it('is made with the current or the former key, even if the key was replaced since it was read', async () => {
    for (const key of ['key', 'old-key'])
      expect(await requestsOf(signCall(key, 'call_1'))).toEqual({ receipt: 'queued', requests: ['keys', 'queue'] });
    const replaced = { receipt: 'queued', requests: ['keys', 'fresh keys', 'queue'] };
    expect(await requestsOf(signCall('new-key', 'call_1'))).toEqual(replaced);
  });

  it('is required: a message without one is refused without a further read', async () => {
    const refused = { receipt: 'unauthorized', requests: ['keys', 'NotAuthenticated'] };
    expect(await requestsOf(undefined)).toEqual(refused);
  });

  const genuine = signCall('key', 'call_1');
  it.each([
    ['of the right length', 'A'.repeat(genuine.length)],
    ['of the right length, wrong in its last character', `${genuine.slice(0, -1)}${genuine.endsWith('A') ? 'E' : 'A'}`],
    ['of another call', signCall('key', 'call_2')],
    ['of another key', signCall('other-key', 'call_1')],
    ['too short', genuine.slice(1)],
    ['too long', `${genuine}A`],
    ['empty', ''],
    ['far too long', 'é'.repeat(9_999)],
  ])('is verified with the same requests and in constant time for a wrong one: %s', async (_what, wrong) => {
    const refused = { receipt: 'unauthorized', requests: ['keys', 'fresh keys', 'NotAuthenticated'] };
    const compared = await comparedInConstantTime(async () => expect(await requestsOf(wrong)).toEqual(refused));
    expect(compared).toEqual(Array(4).fill([32, 32]));
  });
});

describe('the text of a message', () => {
  const signature = signCall('key', 'call_1');
  const update = (id: string, more: object = {}) => {
    const call = { id: 'p1', customer: { externalId: id, ...more } };
    return JSON.stringify({ message: { type: 'status-update', status: 'ringing', call } });
  };

  async function receiptOf(text: string) {
    const parse = jest.spyOn(JSON, 'parse');
    const unused = async () => {
      throw new Error('not used');
    };
    const deps = {
      keys: async () => ['key'],
      files: { putReportedTranscript: unused, putReportedLines: unused },
      voiceEvents: { send: async () => undefined, sendMany: unused },
      count: () => undefined,
      correlate: () => undefined,
    };
    const receipt = await receiveVoiceMessage(
      deps,
      openVapiMessage(text, () => new Date()),
      signature,
    );
    const isParsed = parse.mock.calls.some(([parsed]) => parsed === text);
    parse.mockRestore();
    return { receipt, isParsed };
  }

  it('is parsed once its call is known to be signed, however it is spaced', async () => {
    expect(await receiptOf(update('call_1'))).toEqual({ receipt: 'queued', isParsed: true });
    const spaced = JSON.stringify(JSON.parse(update('call_1')), undefined, 2);
    expect(await receiptOf(spaced)).toEqual({ receipt: 'queued', isParsed: true });
  });

  it.each([
    ['about another call', update('call_2')],
    ['without a call', '[{},{},{}]'],
    ['that is not JSON', '{"message'],
    ['whose call is only in a text', update('call_2', { name: '"externalId":"call_1"' })],
  ])('is not parsed if a stranger sends it, because parsing can take seconds: a text %s', async (_what, text) => {
    expect(await receiptOf(text)).toEqual({ receipt: 'unauthorized', isParsed: false });
  });

  it('is refused if it is about another call than the signed one that it also names', async () => {
    const text = update('call_2', { assistant: { externalId: 'call_1' } });
    expect(await receiptOf(text)).toEqual({ receipt: 'unauthorized', isParsed: true });
  });

  it('is invalid if it is signed and not JSON', async () => {
    expect(await receiptOf(update('call_1').slice(1))).toEqual({ receipt: 'invalid body', isParsed: true });
  });
});
