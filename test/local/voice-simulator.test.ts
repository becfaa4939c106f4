import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { voiceControl } from '../../local/simulators/voice/control.ts';
import type { CreateCall } from '../../local/simulators/voice/create-call.ts';
import type { Line, VendorCall } from '../../local/simulators/voice/model.ts';
import type { Script } from '../../local/simulators/voice/scripts.ts';
import { defaultApiKey, startVoiceSimulator } from '../../local/simulators/voice/server.ts';
import { eventually } from './support/eventually.ts';
import { startProgram } from './support/programs.ts';
import { VoiceError, voiceClient } from './support/voice-client.ts';

const directory = mkdtempSync(join(tmpdir(), 'voice-simulator-'));
const clockFile = join(directory, 'clock');
const simulator = await startVoiceSimulator({ clockFile });
const control = voiceControl(simulator.url);
const platform = voiceClient(simulator.url, defaultApiKey);

const number = '+919812345678';
const phoneNumberId = '0b3c5f5e-6a5e-4d8e-9b52-3f6d6f0a1c11';
const assistant: CreateCall['assistant'] = {
  firstMessage: 'Namaste, this is Asha.',
  model: { provider: 'openai', model: 'gpt-4.1-mini', messages: [{ role: 'system', content: 'Be brief.' }] },
  voice: { provider: 'vapi', voiceId: 'Clara' },
};
const request = (changes: Partial<CreateCall> = {}): CreateCall => ({
  phoneNumberId,
  customer: { number },
  assistant,
  ...changes,
});
const place = (changes: Partial<CreateCall> = {}) => platform.create(request(changes));
const placeAndEnd = async (changes: Partial<CreateCall> = {}) => {
  const { id } = await place(changes);
  await control.untilIdle();
  return platform.get(id);
};
const rejection = async (promise: Promise<unknown>): Promise<VoiceError> => {
  await expect(promise).rejects.toThrow(VoiceError);
  return promise.catch((error: VoiceError) => error) as Promise<VoiceError>;
};
const secondsOf = ({ startedAt, endedAt }: VendorCall) =>
  (Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')) / 1000;
const post = (body: unknown, key = defaultApiKey) =>
  fetch(`${simulator.url}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const hangUp = (url = '') => fetch(url, { method: 'POST', body: '{"type":"end-call"}' });
const moveClock = (seconds: number) => writeFileSync(clockFile, String(seconds));

beforeEach(async () => {
  moveClock(0);
  await control.reset();
  await control.settings({ speed: 500 });
});

afterAll(async () => {
  await simulator.stop();
  rmSync(directory, { recursive: true });
});

describe('POST /call', () => {
  test('answers 201 with a queued call, before its phone rings', async () => {
    await control.script(number, { behaviour: 'answer', queueSeconds: 5000 });
    const before = Date.now();
    const call = await place({ name: 'call_1', customer: { number, externalId: 'ours' } });
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(call).toMatchObject({
      id: uuid,
      orgId: uuid,
      type: 'outboundPhoneCall',
      status: 'queued',
      cost: 0,
      name: 'call_1',
      phoneNumberId,
      customer: { number, externalId: 'ours' },
      assistant,
      monitor: { listenUrl: expect.stringMatching(/^ws:/), controlUrl: expect.stringMatching(/\/control$/) },
      subscriptionLimits: { concurrencyBlocked: false, concurrencyLimit: 10, remainingConcurrentCalls: 9 },
    });
    expect(Date.parse(call.createdAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(call.createdAt)).toBeLessThanOrEqual(Date.now());
    expect(call.endedReason).toBeUndefined();
    expect(await control.rings(number)).toBe(0);
  });

  const long = 'n'.repeat(41);
  const backoffPlan = { type: 'fixed', maxRetries: 11, baseDelaySeconds: 1 };
  test.each<[string, object, RegExp]>([
    ['an unknown field', { metadata: { a: 1 } }, /^property metadata should not exist$/],
    [
      'an unknown field of the assistant',
      { assistant: { prompt: 'x' } },
      /^assistant\.property prompt should not exist$/,
    ],
    ['a name over 40 characters', { name: long }, /^name must be shorter than or equal to 40 characters$/],
    ['an externalId over 40', { customer: { number, externalId: long } }, /^customer\.externalId must be shorter/],
    ['a number that is not E.164', { customer: { number: '09812345678' } }, /^customer\.number must be a valid phone/],
    ['too short a maximum', { assistant: { maxDurationSeconds: 9 } }, /maxDurationSeconds must not be less than 10$/],
    ['too long a maximum', { assistant: { maxDurationSeconds: 43201 } }, /must not be greater than 43200$/],
    ['an unknown message type', { assistant: { serverMessages: ['call-ended'] } }, /^each value in serverMessages/],
    ['a server time-out of 0', { assistant: { server: { timeoutSeconds: 0 } } }, /timeoutSeconds must not be less/],
    [
      'too many retries',
      { assistant: { server: { backoffPlan } } },
      /backoffPlan\.maxRetries must not be greater than 10$/,
    ],
    ['a phone number id that is no uuid', { phoneNumberId: 'p1' }, /^phoneNumberId must be a UUID$/],
  ])('refuses %s by 400 with a list of messages', async (_, changes, message) => {
    const answer = await post({ ...request(), ...changes });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { message: [expect.stringMatching(message)], error: 'Bad Request', statusCode: 400 },
    ]);
    expect(await control.requests()).toEqual([]);
  });

  test.each(['phoneNumberId', 'customer', 'assistant'])('refuses a call without %s', async (key) => {
    const error = await rejection(platform.create({ ...request(), [key]: undefined }));
    expect([error.statusCode, error.body]).toMatchObject([
      400,
      { message: expect.stringMatching(/^Couldn't Get/), statusCode: 400 },
    ]);
  });

  test('accepts a number in any format if the E.164 check is disabled', async () => {
    const call = await place({ customer: { number: '1234', numberE164CheckEnabled: false } });
    expect(call.status).toBe('queued');
  });

  test('answers 401 to a wrong key on every route', async () => {
    const { id } = await place();
    const headers = { authorization: 'Bearer wrong' };
    for (const path of ['/call', `/call/${id}`, `/call/${id}/mono-recording`])
      expect((await fetch(`${simulator.url}${path}`, { headers })).status).toBe(401);
    expect((await post(request(), 'wrong')).status).toBe(401);
  });

  test('answers 501 to batches and scheduled calls, which are not simulated', async () => {
    expect((await post(request({ customers: [{ number }] }))).status).toBe(501);
    expect((await post(request({ schedulePlan: { earliestAt: '2030-01-01T00:00:00Z' } }))).status).toBe(501);
  });
});

describe('the life of a call', () => {
  test('ends with consistent times, transcript, messages, costs and analysis if it was answered', async () => {
    await control.script(number, { behaviour: 'answer', talkSeconds: 90 });
    const call = await placeAndEnd();
    expect(call).toMatchObject({ status: 'ended', endedReason: 'customer-ended-call' });
    expect(secondsOf(call)).toBe(90);
    const startedAt = Date.parse(call.startedAt ?? '');
    expect(startedAt).toBeGreaterThanOrEqual(Date.parse(call.createdAt));
    const messages = call.artifact?.messages as Line[];
    expect(messages.map((message) => message.role)).toEqual(['system', 'bot', 'user', 'bot', 'user', 'bot']);
    expect(messages.at(-1)?.endTime).toBeLessThanOrEqual(startedAt + 90_000);
    expect(call.artifact?.transcript).toMatch(/^AI: Namaste, this is Asha\.\nUser: /);
    expect(call.costs?.map((item) => item.type)).toEqual(['transport', 'transcriber', 'model', 'voice', 'vapi']);
    expect(call.costs?.reduce((sum, item) => sum + (item.cost ?? 0), 0)).toBeCloseTo(call.cost ?? 0, 6);
    expect(call.costBreakdown?.total).toBe(call.cost);
    expect(call.costs?.at(-1)).toMatchObject({ minutes: 1.5 });
    expect(call.analysis).toEqual({ summary: expect.any(String), successEvaluation: 'true' });
  });

  test('takes 42 seconds by default, and costs what the script says', async () => {
    await control.script(number, { behaviour: 'answer', cost: 0.37, transcript: [{ role: 'user', message: 'No.' }] });
    const call = await placeAndEnd();
    expect([secondsOf(call), call.cost, call.artifact?.transcript]).toEqual([42, 0.37, 'User: No.\n']);
  });

  test('ends at the assistant’s maximum duration', async () => {
    await control.script(number, { behaviour: 'answer', talkSeconds: 500 });
    const call = await placeAndEnd({ assistant: { ...assistant, maxDurationSeconds: 60 } });
    expect([call.endedReason, secondsOf(call)]).toEqual(['exceeded-max-duration', 60]);
  });

  test.each([
    ['no-answer', 'customer-did-not-answer', 1],
    ['busy', 'customer-busy', 1],
    ['not-started', 'call.start.error-get-transport', 0],
  ] as const)('as %s ends with %s, without times, cost or recording', async (behaviour, endedReason, rings) => {
    await control.script(number, { behaviour });
    const call = await placeAndEnd();
    expect(call).toMatchObject({ status: 'ended', endedReason, cost: 0 });
    expect([call.startedAt, call.endedAt, call.artifact?.recordingUrl]).toEqual([undefined, undefined, undefined]);
    expect(await control.rings(number)).toBe(rings);
  });

  test('as a platform fault costs nothing, even if it started', async () => {
    await control.script(number, { behaviour: 'platform-fault' });
    const endedReason = 'call.in-progress.error-vapifault-worker-died';
    expect(await placeAndEnd()).toMatchObject({ endedReason, cost: 0, startedAt: expect.any(String) });
  });

  test('recognizes voicemail only if the assistant detects it, which is not the default', async () => {
    await control.script(number, { behaviour: 'voicemail' });
    const detecting = { ...assistant, voicemailDetection: { provider: 'vapi' } as const };
    expect((await placeAndEnd({ assistant: detecting })).endedReason).toBe('voicemail');
    expect((await placeAndEnd()).endedReason).toBe('silence-timed-out');
  });

  test('can be a transfer to the assistant’s destination, which fails without one', async () => {
    await control.script(number, { behaviour: 'transfer' });
    const destination = { type: 'number', number: '+14155550100' };
    const tools = [{ type: 'transferCall', destinations: [destination] }];
    const model = { provider: 'openai', model: 'gpt-4.1-mini', tools };
    const call = await placeAndEnd({ assistant: { ...assistant, model } });
    expect(call).toMatchObject({ endedReason: 'assistant-forwarded-call', destination });
    expect(call.artifact?.transfers).toEqual([{ destination, mode: 'blind-transfer', status: 'completed' }]);
    const failed = await placeAndEnd();
    expect(failed.endedReason).toBe('call.in-progress.error-transfer-failed');
    expect(failed.destination).toBeUndefined();
  });

  test('cannot be ended by a guessed control URL, and is shorter if it was ended', async () => {
    await control.settings({ speed: 2 });
    await control.script(number, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, reportSeconds: 0 });
    const { id, monitor } = await place();
    while ((await platform.get(id)).status !== 'in-progress') await new Promise((done) => setTimeout(done, 10));
    for (const path of [`${id}/guess/control`, `${id}/control`])
      expect((await hangUp(`${simulator.url}/${path}`)).status).toBe(404);
    expect((await hangUp(monitor?.controlUrl)).status).toBe(200);
    await control.untilIdle();
    expect(secondsOf(await platform.get(id))).toBeLessThan(42);
  });
});

describe('GET, PATCH and DELETE', () => {
  test('only the name of a call can be changed', async () => {
    const { id } = await place();
    expect((await platform.update(id, { name: 'renamed' })).name).toBe('renamed');
    expect((await platform.get(id)).name).toBe('renamed');
    expect((await rejection(platform.update(id, { status: 'ended' }))).statusCode).toBe(400);
  });

  test('a deleted call cannot be read or listed, but continues', async () => {
    const { id } = await place();
    await platform.delete(id);
    expect((await rejection(platform.get(id))).statusCode).toBe(404);
    expect(await platform.list()).toEqual([]);
    await control.untilIdle();
    expect(await control.calls()).toMatchObject([{ id, call: { endedReason: 'customer-ended-call' } }]);
  });

  test('a script can refuse the first deletions of a call, or leave them without an answer', async () => {
    await control.script(number, { behaviour: 'not-started', deleteAnswers: [503, 'none'] });
    const { id } = await place();
    expect((await rejection(platform.delete(id))).statusCode).toBe(503);
    await expect(platform.delete(id, 500)).rejects.toThrow();
    expect(await control.calls(number)).toMatchObject([{ deleted: false, deletions: 2 }]);
    await platform.delete(id);
    expect(await control.calls(number)).toMatchObject([{ deleted: true, deletions: 3 }]);
  });

  test('a script can delay the answer to POST /call, and the call starts after it', async () => {
    await control.script(number, { behaviour: 'answer', answerSeconds: 0.5 });
    const placing = place();
    const begun = { rang: false, call: { status: 'queued' } };
    await eventually(async () => expect(await control.calls(number)).toMatchObject([begun]));
    const { id } = await placing;
    await control.untilIdle();
    expect(await control.calls(number)).toMatchObject([{ id, rang: true, call: { status: 'ended' } }]);
  });

  test('lists 100 calls by default, newest first, and at most 1000', async () => {
    await control.settings({ slots: 200 });
    await control.defaultScript({ behaviour: 'not-started' });
    await Promise.all(Array.from({ length: 101 }, () => place()));
    const ids = (await control.calls()).map((call) => call.id).toReversed();
    expect((await platform.list()).map((call) => call.id)).toEqual(ids.slice(0, 100));
    expect(await platform.list({ limit: 1000 })).toHaveLength(101);
    expect((await rejection(platform.list({ limit: 1001 }))).statusCode).toBe(400);
  });

  test('filters by creation time, id and phone number', async () => {
    const old = await place();
    moveClock(600);
    const recent = await place({ phoneNumberId: '7d1f1c52-9f3f-4a52-8d3d-5f6b1f7c2d22' });
    for (const [filter, found] of [
      [{ createdAtGt: old.createdAt }, [recent]],
      [{ createdAtGe: old.createdAt }, [recent, old]],
      [{ createdAtLt: recent.createdAt }, [old]],
      [{ createdAtLe: recent.createdAt }, [recent, old]],
      [{ createdAtGt: old.createdAt, createdAtLt: recent.createdAt }, []],
      [{ id: old.id }, [old]],
      [{ phoneNumberId }, [old]],
    ] satisfies [Record<string, string>, VendorCall[]][])
      expect([filter, (await platform.list(filter)).map(({ id }) => id)]).toEqual([filter, found.map(({ id }) => id)]);
    const updated = await platform.list({ updatedAtGe: recent.createdAt });
    expect(updated.map(({ id }) => id)).toContain(recent.id);
  });

  test.each(['externalId=x', 'name=x', 'createdAtGt=yesterday'])('refuses the filter %s', async (query) => {
    const headers = { authorization: `Bearer ${defaultApiKey}` };
    expect((await fetch(`${simulator.url}/call?${query}`, { headers })).status).toBe(400);
  });

  test('a script can delay the listing of a call, but not its reading by id', async () => {
    await control.script(number, { behaviour: 'answer', listedAfterSeconds: 30 });
    const { id } = await place();
    expect((await platform.get(id)).id).toBe(id);
    expect(await platform.list()).toEqual([]);
    moveClock(31);
    expect(await platform.list()).toMatchObject([{ id }]);
  });
});

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

describe('refusals and lost answers', () => {
  test('a rate limit can have a Retry-After', async () => {
    await control.script(number, { behaviour: 'rate-limited', retryAfterSeconds: 7 });
    expect((await post(request())).headers.get('retry-after')).toBe('7');
  });

  test.each<[Script, status: number, message: string]>([
    ...[400, 404, 409, 422].map((status): [Script, number, string] => [
      { behaviour: 'refuse', status, message: 'Over the limit.' },
      status,
      'Over the limit.',
    ]),
    ...[401, 402, 403].map((status): [Script, number, string] => [
      { behaviour: 'unauthorized', status, message: 'Wallet empty.' },
      status,
      'Wallet empty.',
    ]),
    ...[500, 503, 599].map((status): [Script, number, string] => [
      { behaviour: 'server-error', status },
      status,
      'Internal server error',
    ]),
    [{ behaviour: 'refuse' }, 400, 'The call was refused.'],
    [{ behaviour: 'server-error' }, 500, 'Internal server error'],
  ])('%j answers %i and rings no phone', async (script, status, message) => {
    await control.script(number, script);
    const answer = await post(request());
    expect([answer.status, await answer.json()]).toMatchObject([status, { message, statusCode: status }]);
    expect([await control.rings(number), await control.calls(number)]).toEqual([0, []]);
    expect(await control.requests(number)).toMatchObject([{ answer: status }]);
  });

  test('a script rejects a status that its behaviour does not have', async () => {
    for (const script of [
      { behaviour: 'refuse', status: 500 },
      { behaviour: 'unauthorized', status: 400 },
      { behaviour: 'server-error', status: 200 },
    ] as Script[])
      await expect(control.script(number, script)).rejects.toThrow('status');
  });

  test('a client that retries an error after dialing rings the phone twice, because POST /call is not idempotent', async () => {
    await control.script(number, { behaviour: 'server-error-after-dialing' });
    for (const _attempt of [1, 2]) await rejection(platform.create(request()));
    expect(await control.rings(number)).toBe(2);
    expect(await control.requests(number)).toHaveLength(2);
  });

  test('a hanging request may have dialed no phone', async () => {
    await control.script(number, { behaviour: 'hang', dials: false });
    await expect(platform.create(request(), 1_000)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect([await control.rings(number), await platform.list()]).toEqual([0, []]);
  });

  test('attempts follow the scripts of the number in turn and repeat the last; other numbers follow the default', async () => {
    await control.script(number, { behaviour: 'busy' }, { behaviour: 'no-answer' }, { behaviour: 'answer' });
    await control.defaultScript({ behaviour: 'busy' });
    const reasons = [];
    for (let attempt = 1; attempt <= 4; attempt++) reasons.push((await placeAndEnd()).endedReason);
    expect(reasons).toEqual(['customer-busy', 'customer-did-not-answer', 'customer-ended-call', 'customer-ended-call']);
    expect((await placeAndEnd({ customer: { number: '+14155550111' } })).endedReason).toBe('customer-busy');
    expect(await control.allRings()).toEqual({ total: 5, byNumber: { [number]: 4, '+14155550111': 1 } });
    expect((await control.calls(number)).map((call) => call.attempt)).toEqual([1, 2, 3, 4]);
  });

  test('a misspelled script is refused', async () => {
    await expect(control.script(number, { behaviour: 'answer', talkSecond: 1 } as never)).rejects.toThrow('talkSecond');
    await expect(control.script(number, { behaviour: 'anser' } as never)).rejects.toThrow('behaviour');
  });
});

describe('full slots', () => {
  const [one, other, further] = ['+14155550101', '+14155550102', '+14155550103'] as const;
  const placeTo = (person: string) => place({ customer: { number: person } });
  /** Places a call that rings until it is ended. */
  const takeSlot = async (person: string) => {
    await control.script(person, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 1_000_000 });
    return (await placeTo(person)).monitor?.controlUrl;
  };

  test.each(['refuse', 'accept-then-end'] as const)('%s a further call, which does not ring', async (whenFull) => {
    await control.settings({ slots: 2, whenFull });
    await control.script(further, { behaviour: 'busy' }, { behaviour: 'answer' });
    const ringing = [await takeSlot(one), await takeSlot(other)];
    const blocked = await placeTo(further).catch((error: VoiceError) => error);
    await Promise.all(ringing.map(hangUp));
    await control.untilIdle();
    if (blocked instanceof VoiceError) expect([whenFull, blocked.statusCode]).toEqual(['refuse', 429]);
    else {
      expect(blocked).toMatchObject({ status: 'queued', subscriptionLimits: { concurrencyBlocked: true } });
      const endedReason = 'call.start.error-subscription-concurrency-limit-reached';
      expect(await platform.get(blocked.id)).toMatchObject({ status: 'ended', endedReason });
    }
    expect([(await control.allRings()).total, await control.maxLive()]).toEqual([2, 2]);
    // The refused call uses no script.
    expect((await placeAndEnd({ customer: { number: further } })).endedReason).toBe('customer-busy');
  });
});

test('main.ts prints its address, uses its environment, and exits at once on SIGTERM', async () => {
  moveClock(86_400);
  const environment = { CLOCK_FILE: clockFile, API_KEY: 'other' };
  const { child, printed, ended } = startProgram(['local/simulators/voice/main.ts'], environment);
  const { url } = await eventually(() => JSON.parse(printed.out));
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const call = await voiceClient(url, 'other').create(request());
  expect(Date.parse(call.createdAt) - Date.now()).toBeGreaterThan(86_000_000);
  const signalled = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  // The call in progress would take almost a minute.
  expect(performance.now() - signalled).toBeLessThan(20_000);
});
