import type { Line, VendorCall } from '../../../local/simulators/voice/model.ts';
import { defaultApiKey } from '../../../local/simulators/voice/server.ts';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import {
  assistant,
  hangUp,
  number,
  phoneNumberId,
  rejection,
  request,
  secondsOf,
  startVoice,
} from '../support/voice-simulator.ts';

const { begin, control, end, moveClock, place, placeAndEnd, platform, post, simulator } = await startVoice();

beforeEach(begin);
afterAll(end);

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
    ['a phone number id that is not a UUID', { phoneNumberId: 'p1' }, /^phoneNumberId must be a UUID$/],
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
    await untilNoError(async () => expect((await platform.get(id)).status).toBe('in-progress'));
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
    await untilNoError(async () => expect(await control.calls(number)).toMatchObject([begun]));
    const { id } = await placing;
    await control.untilIdle();
    expect(await control.calls(number)).toMatchObject([{ id, rang: true, call: { status: 'ended' } }]);
  });

  test('a call starts after a delayed answer even if the client no longer waits', async () => {
    await control.script(number, { behaviour: 'answer', answerSeconds: 0.3 });
    await expect(platform.create(request(), 100)).rejects.toMatchObject({ name: 'TimeoutError' });
    const ended = { rang: true, call: { status: 'ended' } };
    await untilNoError(async () => expect(await control.calls(number)).toMatchObject([ended]), 5);
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
    await platform.update(old.id, { name: 'renamed' });
    const updated = await platform.list({ updatedAtGe: recent.createdAt });
    expect(updated.map(({ id }) => id)).toEqual([recent.id, old.id]);
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

  test('a script can delay the answers that list a call, but no others', async () => {
    await control.script(number, { behaviour: 'answer', listingSeconds: 30 });
    const { id } = await place();
    await expect(platform.list({}, 500)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect([(await platform.get(id)).id, await platform.list({ limit: 0 })]).toEqual([id, []]);
    await control.script(number, { behaviour: 'answer', listingSeconds: 0.01 });
    const other = await place();
    expect(await platform.list({ limit: 1 })).toMatchObject([{ id: other.id }]);
  });
});
