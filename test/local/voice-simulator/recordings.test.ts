import { defaultApiKey } from '../../../local/simulators/voice/server.ts';
import { assistant, hangUp, number, startVoice } from '../support/voice-simulator.ts';

const { begin, control, end, moveClock, place, placeAndEnd, platform, simulator } = await startVoice();

beforeEach(begin);
afterAll(end);

describe('recordings', () => {
  const recordingOf = (id: string, kind = 'mono') =>
    fetch(`${simulator.url}/call/${id}/${kind}-recording`, {
      headers: { authorization: `Bearer ${defaultApiKey}` },
      redirect: 'manual',
    });
  const signedLink = async (id: string, kind = 'mono') => (await recordingOf(id, kind)).headers.get('location') ?? '';

  test.each([
    ['mono', 1],
    ['stereo', 2],
  ])('%s is an audible wav file of %i channel(s), as long as the talk', async (kind, channels) => {
    const { id, startedAt = '', endedAt = '' } = await placeAndEnd();
    const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
    const file = Buffer.from(await (await fetch(await signedLink(id, kind))).arrayBuffer());
    const texts = [file.toString('latin1', 0, 4), file.toString('latin1', 8, 16), file.toString('latin1', 36, 40)];
    expect(texts).toEqual(['RIFF', 'WAVEfmt ', 'data']);
    const format = [file.readUInt16LE(20), file.readUInt16LE(22), file.readUInt32LE(24)];
    expect(format).toEqual([1, channels, 4000]);
    const rates = [file.readUInt32LE(28), file.readUInt16LE(32), file.readUInt16LE(34)];
    expect(rates).toEqual([4_000 * channels, channels, 8]);
    expect([file.readUInt32LE(4), file.readUInt32LE(40)]).toEqual([file.length - 8, file.length - 44]);
    expect([seconds > 10, file.length - 44]).toEqual([true, Math.round(4_000 * seconds) * channels]);
    expect(Math.max(...file.subarray(44, 4_044))).toBeGreaterThan(150);
  });

  test('have signed links that refuse an Authorization header, a forged signature and use after expiry', async () => {
    const { id } = await placeAndEnd();
    const link = await signedLink(id);
    const statusOf = async (url: string, headers = {}) => (await fetch(url, { headers })).status;
    expect(await statusOf(link)).toBe(200);
    expect(await statusOf(link, { authorization: `Bearer ${defaultApiKey}` })).toBe(400);
    expect(await statusOf(`${link.slice(0, -1)}x`)).toBe(403);
    expect(await statusOf(link.replace('mono.wav', 'stereo.wav'))).toBe(403);
    moveClock(3601);
    expect([await statusOf(link), await statusOf(await signedLink(id))]).toEqual([403, 200]);
  });

  test('have a plain recordingUrl that does not download, and presigned ones that are new each time', async () => {
    const { id, artifact } = await placeAndEnd();
    expect((await fetch(artifact?.recordingUrl ?? '')).status).toBe(400);
    expect((await fetch(artifact?.presignedMonoUrl ?? '')).status).toBe(200);
    expect(Date.parse(artifact?.presignedUrlsExpiresAt ?? '')).toBeGreaterThan(Date.now());
    const again = await Promise.all(Array.from({ length: 20 }, () => platform.get(id)));
    expect(new Set(again.map((call) => call.artifact?.presignedMonoUrl)).size).toBe(20);
  });

  test('do not exist before the end, or if recording is disabled or the script withholds it', async () => {
    await control.settings({ speed: 2 });
    const long = { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 600 } as const;
    await control.script(number, long, { behaviour: 'answer', noRecording: true }, { behaviour: 'answer' });
    const { id, monitor } = await place();
    expect((await recordingOf(id)).status).toBe(404);
    await control.settings({ speed: 500 });
    await hangUp(monitor?.controlUrl);
    await control.untilIdle();
    expect((await recordingOf(id)).status).toBe(302);
    expect((await recordingOf((await placeAndEnd()).id)).status).toBe(404);
    const disabled = await placeAndEnd({ assistant: { ...assistant, artifactPlan: { recordingEnabled: false } } });
    expect((await recordingOf(disabled.id)).status).toBe(404);
    expect(disabled.artifact?.recordingUrl).toBeUndefined();
  });

  test('can be streamed without their length', async () => {
    await control.script(number, { behaviour: 'answer', streamedRecordingBytes: 100_000 });
    const { artifact } = await placeAndEnd();
    const answer = await fetch(artifact?.presignedMonoUrl ?? '');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, null]);
    expect((await answer.arrayBuffer()).byteLength).toBe(100_000);
  });

  test('can be delayed', async () => {
    await control.script(number, { behaviour: 'answer', recordingDelaySeconds: 120 });
    const { id, artifact } = await placeAndEnd();
    expect((await recordingOf(id)).status).toBe(404);
    expect(artifact?.presignedMonoUrl).toBeUndefined();
    moveClock(121);
    expect((await recordingOf(id)).status).toBe(302);
  });
});
