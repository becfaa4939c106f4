import type { Script } from '../../../local/simulators/voice/scripts.ts';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import { startProgram } from '../support/programs.ts';
import { VoiceError, voiceClient } from '../support/voice-client.ts';
import { hangUp, number, rejection, request, startVoice } from '../support/voice-simulator.ts';

const { begin, clockFile, control, end, moveClock, place, placeAndEnd, platform, post } = await startVoice();

beforeEach(begin);
afterAll(end);

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
  const { url } = await untilNoError(() => JSON.parse(printed.out));
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const call = await voiceClient(url, 'other').create(request());
  expect(Date.parse(call.createdAt) - Date.now()).toBeGreaterThan(86_000_000);
  const signalled = performance.now();
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  // The call in progress would take almost a minute.
  expect(performance.now() - signalled).toBeLessThan(20_000);
});
