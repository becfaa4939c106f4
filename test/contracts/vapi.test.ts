import { languages } from '../../dashboard/words/assistants/assistants.ts';
import { voiceControl } from '../../local/simulators/voice/control.ts';
import type { Script } from '../../local/simulators/voice/scripts.ts';
import { defaultApiKey, startVoiceSimulator } from '../../local/simulators/voice/server.ts';
import { request as sendRequest, TIMED_OUT } from '../../shared/integrations/http/request.ts';
import { readVapiMessage } from '../../shared/integrations/voice/vapi/messages.ts';
import { readPhoneNumber } from '../../shared/integrations/voice/vapi/phone-number.ts';
import { vapi } from '../../shared/integrations/voice/vapi/vapi.ts';
import type { DialRequest, ReadMessage } from '../../shared/integrations/voice/voice-platform.ts';
import { startVoice } from '../local/support/voice-simulator.ts';
import { closeServers, serve } from '../support/loopback.ts';
import { untilNoError } from '../support/runner/until-no-error.ts';

afterEach(closeServers);

/** Stops the simulators of one test. */
const stops: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const simulator = await startVoiceSimulator();
const control = voiceControl(simulator.url);
await control.settings({ speed: 400, slots: 10_000 });

describe('a calling number', () => {
  const read = (id: string, apiKey: string = defaultApiKey) =>
    readPhoneNumber({ url: simulator.url, apiKey, timeoutMs: 5_000 }, id);

  it('is found by its id, with its status', async () => {
    expect(await read('6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10')).toEqual({ kind: 'found', status: 'active' });
  });

  it('is not found by an unknown or malformed id', async () => {
    expect(await read(unknownId)).toEqual({ kind: 'not_found' });
    expect(await read('+15550100000')).toEqual({ kind: 'not_found' });
  });

  it('is not shown for a wrong key', async () => {
    expect(await read(unknownId, 'wrong')).toEqual({ kind: 'refused' });
  });
});

const adapter = (url: string, timeoutMs = 10_000) =>
  vapi({
    url,
    timeoutMs,
    credentials: async () => ({ api_key: defaultApiKey, phone_number_id: '6d0a1f52-7c57-4a05-9d7a-3b0f8b7b2f10' }),
    now: () => new Date(),
  });
const platform = adapter(simulator.url);
/** For requests that get no answer, because a test waits for their time-out. */
const impatient = adapter(simulator.url, 500);
const unreachable = adapter('http://127.0.0.1:9');

const ringing: Script = { behaviour: 'answer', ringSeconds: 100_000 };

let numbers = 10_000_000;
const nextNumber = () => {
  numbers += 1;
  return numbers;
};
const aNumber = () => `+9197${nextNumber()}`;
const anId = () => `call_${String(nextNumber()).padStart(32, '0')}`;
const unknownId = '00000000-0000-4000-8000-000000000000';

const aMinute = 60_000;
const aroundNow = () => ({ from: new Date(Date.now() - 2 * aMinute), to: new Date(Date.now() + aMinute) });

const request = (phoneNumber = aNumber(), reportsUrl = 'http://127.0.0.1:9/nobody'): DialRequest => ({
  callId: anId(),
  phoneNumber,
  voiceNumberId: undefined,
  assistantName: 'Asha',
  prompt: 'Be kind.',
  firstMessage: 'Namaste.',
  voice: undefined,
  language: undefined,
  transferNumber: undefined,
  maxDurationSeconds: 600,
  reports: { url: reportsUrl, headers: {} },
});

async function dial(script: Script, client = platform) {
  const dialed = request();
  await control.script(dialed.phoneNumber, script);
  return { phone: dialed.phoneNumber, callId: dialed.callId, outcome: await client.dial(dialed) };
}

async function acceptedCall(script: Script = { behaviour: 'answer' }) {
  const { outcome, ...rest } = await dial(script);
  if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
  return { ...rest, platformId: outcome.platformId };
}

/** The platform completes its record some time after the end. */
const untilEnded = (platformId: string, { withTranscript = false } = {}) =>
  untilNoError(async () => {
    const read = await platform.read(platformId);
    if (read.kind !== 'known' || read.message.kind !== 'report') throw new Error('the call did not end');
    if (withTranscript && !read.message.transcript) throw new Error('no transcript arrived');
    return read.message;
  });

afterAll(() => simulator.stop());

describe('a dial', () => {
  it('is accepted with the platform id and rings once', async () => {
    const { phone, platformId } = await acceptedCall();
    expect(platformId).toMatch(/./);
    await untilEnded(platformId);
    expect(await control.rings(phone)).toBe(1);
  });

  it.each<[string, Script, object, number]>([
    ['refuses', { behaviour: 'refuse', status: 400 }, { kind: 'refused' }, 0],
    [
      'limits the requests',
      { behaviour: 'rate-limited', retryAfterSeconds: 7 },
      { kind: 'not_dialed', isOperatorFault: false, limit: 'account', retryAfterSeconds: 7 },
      0,
    ],
    ['refuses the key', { behaviour: 'unauthorized' }, { kind: 'not_dialed', isOperatorFault: true }, 0],
    [
      'requires a payment',
      { behaviour: 'unauthorized', status: 402 },
      { kind: 'not_dialed', isOperatorFault: true },
      0,
    ],
    ['fails without dialing', { behaviour: 'server-error' }, { kind: 'unknown' }, 0],
    ['fails after dialing', { behaviour: 'server-error-after-dialing' }, { kind: 'unknown' }, 1],
    ['never answers but dials', { behaviour: 'hang', dials: true }, { kind: 'unknown' }, 1],
    ['drops the answer after dialing', { behaviour: 'drop-after-accepting' }, { kind: 'unknown' }, 1],
  ])('is sent once, and has the expected outcome, if the platform %s', async (_, script, expected, rings) => {
    const { phone, outcome } = await dial(script, script.behaviour === 'hang' ? impatient : platform);
    expect(outcome).toMatchObject(expected);
    expect(await control.requests(phone)).toHaveLength(1);
    expect(await control.rings(phone)).toBe(rings);
  });

  it.each([...languages.map(([code]) => code), 'hi-IN', 'en-IN', 'gu-IN', 'ur'])(
    'is accepted for an assistant that speaks %s',
    async (language) => {
      expect(await platform.dial({ ...request(), language })).toMatchObject({ kind: 'accepted' });
    },
  );

  it('is accepted and queued if the platform has no line free', async () => {
    await control.settings({ slots: 0, whenFull: 'accept-then-end' });
    const { outcome } = await dial({ behaviour: 'answer' });
    await control.settings({ slots: 10_000, whenFull: 'refuse' });
    expect(outcome).toMatchObject({ kind: 'accepted', isQueued: true });
  });

  it('is reported as not dialed if no server listens', async () => {
    expect(await unreachable.dial(request())).toMatchObject({ kind: 'not_dialed', isOperatorFault: false });
  });
});

describe('a lookup of a call', () => {
  it('finds a call whose answer was lost, by our id', async () => {
    const { callId } = await dial({ behaviour: 'drop-after-accepting' });
    expect(await platform.lookup().find(callId, aroundNow(), new Set())).toMatchObject({ kind: 'found' });
  });

  it('finds a call behind hundreds of others, and proves an absence among them', async () => {
    const { callId } = await dial({ behaviour: 'drop-after-accepting' });
    // The others only ring, because their conversations would load the machine.
    await control.defaultScript(ringing);
    await Promise.all(Array.from({ length: 250 }, () => platform.dial(request())));
    expect(await platform.lookup().find(callId, aroundNow(), new Set())).toMatchObject({ kind: 'found' });
    expect(await platform.lookup().find(anId(), aroundNow(), new Set())).toMatchObject({ kind: 'absent' });
  });

  it('skips attempts that have ended', async () => {
    const { callId, platformId } = await acceptedCall();
    expect(await platform.lookup().find(callId, aroundNow(), new Set([platformId]))).toMatchObject({ kind: 'absent' });
  });

  it('does not search outside its time window', async () => {
    const { callId } = await acceptedCall();
    const before = { from: new Date(Date.now() - 60 * aMinute), to: new Date(Date.now() - 30 * aMinute) };
    expect(await platform.lookup().find(callId, before, new Set())).toMatchObject({ kind: 'absent' });
  });

  it('searches by the time when a call was created, not by its last change', async () => {
    const { simulator: later, control: ofLater, moveClock, end } = await startVoice();
    stops.push(end);
    const [client, dialed] = [adapter(later.url), request()];
    await ofLater.defaultScript(ringing);
    const outcome = await client.dial(dialed);
    moveClock(10 * 60);
    if (outcome.kind === 'accepted') await client.hangUp(outcome.platformId);
    await untilNoError(async () => expect(await ofLater.calls()).toMatchObject([{ call: { status: 'ended' } }]));
    const find = (window: { from: Date; to: Date }) => client.lookup().find(dialed.callId, window, new Set());
    expect(await find(aroundNow())).toMatchObject({ kind: 'found' });
    const after = { from: new Date(Date.now() + 5 * aMinute), to: new Date(Date.now() + 8 * aMinute) };
    expect(await find(after)).toMatchObject({ kind: 'absent' });
  });

  it('proves no absence if no server listens', async () => {
    expect(await unreachable.lookup().find(anId(), aroundNow(), new Set())).toMatchObject({ kind: 'unknown' });
  });
});

describe('a lookup whose calls do not fit into one answer of the platform', () => {
  it.each<[string, { prompt?: string; listingSeconds?: number; timeoutMs?: number }, calls: number, reason: string]>([
    // The longest prompt of an assistant in Hindi: 450 KB.
    ['is larger than 8 MB', { prompt: 'न'.repeat(150_000) }, 20, 'answer too large'],
    ['is late', { listingSeconds: 0.03, timeoutMs: 300 }, 12, TIMED_OUT],
  ])('is completed with smaller pages if the answer %s', async (_name, limits, calls, reason) => {
    const { prompt = 'Be kind.', listingSeconds, timeoutMs = 10_000 } = limits;
    const { url, stop } = await startVoiceSimulator();
    stops.push(stop);
    const full = voiceControl(url);
    await full.settings({ slots: calls });
    await full.defaultScript({ ...ringing, listingSeconds });
    const lost = { ...request(), prompt };
    const others = Array.from({ length: calls - 1 }, () => ({ ...request(), prompt }));
    await full.script(lost.phoneNumber, { ...ringing, behaviour: 'drop-after-accepting', listingSeconds });
    // One after the other, because a lookup cannot page within one millisecond.
    for (const dialed of [lost, ...others]) await adapter(url).dial(dialed);

    const headers = { authorization: `Bearer ${defaultApiKey}` };
    const page = { method: 'GET', url: new URL('/call?limit=20', url), headers, totalTimeoutMs: timeoutMs } as const;
    expect(await sendRequest(page)).toEqual({ kind: 'no_answer', reason });
    const [{ id: platformId } = { id: undefined }] = await full.calls(lost.phoneNumber);
    const lookup = adapter(url, timeoutMs).lookup();
    const window = aroundNow();
    expect(await lookup.find(lost.callId, window, new Set())).toEqual({ kind: 'found', platformId, others: [] });
    expect(await lookup.find(anId(), window, new Set())).toMatchObject({ kind: 'absent' });
  });
});

describe('the record of a call', () => {
  it('shows the progress of a running call', async () => {
    const { platformId } = await acceptedCall(ringing);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await platform.read(platformId)).toMatchObject({
      kind: 'known',
      message: { kind: 'progress', platform_id: platformId },
    });
  });

  it('shows the end of a call in the form of its report', async () => {
    const { platformId } = await acceptedCall();
    const report = await untilEnded(platformId, { withTranscript: true });
    expect(report).toMatchObject({ platform_id: platformId, outcome: 'completed' });
    expect(Date.parse(report.ended_at)).toBeGreaterThan(Date.parse(report.started_at ?? ''));
  });

  it('shows a conversation whose transfer could not be connected as completed, with its duration', async () => {
    for (const endedReason of [
      'call.in-progress.error-providerfault-outbound-sip-403-forbidden',
      'call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable',
      'twilio-failed-to-connect-call',
    ]) {
      const transfer = { behaviour: 'transfer', transferTo: '+919800000001', transferStatus: 'failed' } as const;
      const { platformId } = await acceptedCall({ ...transfer, endedReason });
      const report = await untilEnded(platformId, { withTranscript: true });
      expect([endedReason, report]).toEqual([endedReason, expect.objectContaining({ outcome: 'completed' })]);
      expect(Date.parse(report.ended_at)).toBeGreaterThan(Date.parse(report.started_at ?? ''));
    }
  });

  it('shows no connection if the platform never reached the phone, whatever start it reports', async () => {
    for (const endedReason of [
      'call.in-progress.error-vapifault-transport-never-connected',
      'call.in-progress.error-providerfault-transport-never-connected',
      'call.in-progress.error-vapifault-worker-not-available',
      'phone-call-provider-bypass-enabled-but-no-call-received',
    ]) {
      const { platformId } = await acceptedCall({ behaviour: 'platform-fault', talkSeconds: 1, endedReason });
      const { outcome, reason, started_at } = await untilEnded(platformId);
      expect([outcome, reason, started_at]).toEqual(['failed', endedReason, undefined]);
    }
  });

  it('distinguishes an unknown call from a platform that does not answer', async () => {
    expect(await platform.read(unknownId)).toEqual({ kind: 'not_found' });
    expect(await unreachable.read(unknownId)).toMatchObject({ kind: 'unknown', isUnanswered: true });
  });

  it('distinguishes a platform that refuses to answer from one that does not', async () => {
    const refusing = await serve((_request, response) => response.writeHead(500).end());
    expect(await adapter(refusing.url).read(unknownId)).toEqual({ kind: 'unknown', reason: 'status 500' });
    const hanging = await serve(() => undefined);
    expect(await adapter(hanging.url, 500).read(unknownId)).toMatchObject({ kind: 'unknown', isUnanswered: true });
  });
});

describe('a hang-up', () => {
  it('ends a queued call, which then never rings', async () => {
    const { phone, platformId } = await acceptedCall({ behaviour: 'answer', queueSeconds: 100_000 });
    const queued = { kind: 'progress', status: 'dialing' };
    expect(await platform.read(platformId)).toMatchObject({ kind: 'known', message: queued });
    await untilNoError(async () => expect(await platform.hangUp(platformId)).toEqual({ kind: 'hung_up' }));
    const { outcome, started_at } = await untilEnded(platformId);
    expect([outcome, started_at, await control.rings(phone)]).toEqual(['canceled', undefined, 0]);
  });

  it('ends a live call, and reports a call that has already ended', async () => {
    const { platformId } = await acceptedCall(ringing);
    expect(await platform.hangUp(platformId)).toEqual({ kind: 'hung_up' });
    await untilEnded(platformId);
    expect(await platform.hangUp(platformId)).toEqual({ kind: 'not_live' });
    expect(await platform.hangUp(unknownId)).toEqual({ kind: 'not_live' });
    expect(await unreachable.hangUp(platformId)).toMatchObject({ kind: 'unreachable' });
  });

  it('distinguishes an ended call from a call that the platform offers no way to end', async () => {
    for (const [status, kind] of [
      ['queued', 'no_way'],
      ['ended', 'not_live'],
    ] as const) {
      const { url } = await serve((_, response) => void response.end(JSON.stringify({ id: unknownId, status })));
      expect([status, await adapter(url).hangUp(unknownId)]).toEqual([status, { kind }]);
    }
  });
});

describe("the platform's data of a call", () => {
  it('is deleted with its recording, and afterwards the platform does not know the call', async () => {
    const { platformId } = await acceptedCall();
    await untilEnded(platformId);
    expect(await platform.erase(platformId)).toEqual({ kind: 'erased' });
    expect(await platform.read(platformId)).toEqual({ kind: 'not_found' });
    expect(await platform.recording(platformId)).toEqual({ kind: 'not_there' });
    expect(await platform.erase(platformId)).toEqual({ kind: 'absent' });
  });

  it('is reported as left if the platform could not delete it', async () => {
    expect(await unreachable.erase(unknownId)).toEqual({ kind: 'left', reason: expect.any(String) });
    const { url: busy } = await serve((_, response) => void response.writeHead(503).end());
    expect(await adapter(busy).erase(unknownId)).toEqual({ kind: 'left', reason: 'status 503' });
    const { platformId } = await acceptedCall({ behaviour: 'answer', deleteAnswers: ['deletion-failed'] });
    expect(await platform.erase(platformId)).toEqual({ kind: 'left', reason: 'the deletion failed' });
    expect(await platform.erase(platformId)).toEqual({ kind: 'erased' });
  });
});

describe('a recording', () => {
  it('is audio with its size', async () => {
    const { platformId } = await acceptedCall();
    await untilEnded(platformId);
    const recording = await platform.recording(platformId);
    if (recording.kind !== 'found') throw new Error(recording.kind);
    const audio = Buffer.concat(await recording.body.toArray());
    expect(recording.contentType).toMatch(/^audio\//);
    expect(audio.length).toBe(recording.contentLength);
  });

  it('is reported as missing if none exists', async () => {
    const { platformId } = await acceptedCall({ behaviour: 'answer', noRecording: true });
    await untilEnded(platformId);
    expect(await platform.recording(platformId)).toEqual({ kind: 'not_there' });
  });
});

it('every message of a call contains our call id: progress, hang-up and exactly one report', async () => {
  const messages: ReadMessage[] = [];
  const { url } = await serve(async (received, response) => {
    const text = Buffer.concat(await received.toArray()).toString();
    const read = readVapiMessage(JSON.parse(text), new Date());
    if (read) messages.push(read);
    response.end();
  });
  const dialed = request(aNumber(), url);
  await control.script(dialed.phoneNumber, { behaviour: 'answer' });
  await platform.dial(dialed);
  const kinds = () => messages.map(({ message }) => message?.kind);
  await untilNoError(() => expect(kinds()).toContain('report'));
  expect(kinds()).toEqual(expect.arrayContaining(['progress', 'hung_up', 'report']));
  expect(kinds().filter((kind) => kind === 'report')).toHaveLength(1);
  expect(new Set(messages.map(({ callId }) => callId))).toEqual(new Set([dialed.callId]));
});
