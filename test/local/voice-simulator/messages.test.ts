import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { voiceControl } from '../../../local/simulators/voice/control.ts';
import { defaultApiKey, startVoiceSimulator } from '../../../local/simulators/voice/server.ts';
import { close, listen } from '../support/servers.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests check the form of the messages.
type Message = Record<string, any>;
type Received = { message: Message; headers: IncomingHttpHeaders; at: number };

const received: Received[] = [];
/** The receiver's answers in order, then 200. 'never' leaves the request open. */
let answers: (number | 'never')[] = [];
const receiver = createServer(async (request, response) => {
  const { message } = JSON.parse(await text(request));
  received.push({ message, headers: request.headers, at: performance.now() });
  const answer = answers.shift() ?? 200;
  if (answer !== 'never') response.writeHead(answer, answer === 302 ? { location: '/elsewhere' } : {}).end();
});
const receiverUrl = `${await listen(receiver)}/hook`;

const simulator = await startVoiceSimulator();
const control = voiceControl(simulator.url);
const number = '+919812345678';

const headers = { authorization: `Bearer ${defaultApiKey}` };
const callOf = async (id: string): Promise<Message> =>
  (await fetch(`${simulator.url}/call/${id}`, { headers })).json() as Promise<Message>;

/** Places a call with a server for its messages, and waits for the last message. @returns its id */
async function play(assistant: Record<string, unknown> = {}, server: Record<string, unknown> = {}): Promise<string> {
  const answer = await fetch(`${simulator.url}/call`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      phoneNumberId: '0b3c5f5e-6a5e-4d8e-9b52-3f6d6f0a1c11',
      customer: { number, externalId: 'ours' },
      assistant: {
        firstMessage: 'Hello.',
        metadata: { callId: 'ours' },
        serverMessages: ['status-update', 'end-of-call-report'],
        server: { url: receiverUrl, headers: { 'x-secret': 's3cret' }, ...server },
        ...assistant,
      },
    }),
  });
  expect(answer.status).toBe(201);
  await control.untilIdle();
  return ((await answer.json()) as { id: string }).id;
}

/** Short names of the messages, in the order of arrival. */
const names = () => received.map(({ message }) => message.status ?? message.type);
const story = ['queued', 'ringing', 'in-progress', 'ended', 'end-of-call-report'];
const backoffPlan = { type: 'fixed', maxRetries: 3, baseDelaySeconds: 5 };

beforeEach(async () => {
  await control.reset();
  await control.settings({ speed: 500 });
  received.length = 0;
  answers = [];
});

afterAll(async () => {
  await simulator.stop();
  await close(receiver);
});

test('a status-update for every status and then the report arrive in order, with the server’s headers', async () => {
  const id = await play();
  expect(names()).toEqual(story);
  for (const { message, headers } of received) {
    expect(headers).toMatchObject({ 'x-secret': 's3cret', 'content-type': 'application/json' });
    expect(message).toMatchObject({
      call: { id, assistant: { metadata: { callId: 'ours' } } },
      customer: { number, externalId: 'ours' },
      timestamp: expect.any(Number),
    });
    expect('endedReason' in message).toBe(['ended', 'end-of-call-report'].includes(message.status ?? message.type));
  }
});

test('the report has reason, times, cost, artifact and analysis, as GET /call/{id} does', async () => {
  const id = await play();
  const report = received.at(-1)?.message as Message;
  expect(report).toMatchObject({
    endedReason: 'customer-ended-call',
    cost: expect.any(Number),
    artifact: {
      transcript: expect.stringMatching(/^AI: Hello\.\nUser: /),
      recording: { stereoUrl: expect.any(String) },
    },
    analysis: { summary: expect.any(String), successEvaluation: 'true' },
    call: { id, status: 'ended', costBreakdown: { total: report.cost } },
  });
  expect(Date.parse(report.endedAt) - Date.parse(report.startedAt)).toBe(42_000);
  const roles = report.artifact.messages.map(({ role }: Message) => role);
  expect(roles).toEqual(['bot', 'user', 'bot', 'user', 'bot']);
  const call = await callOf(id);
  for (const field of ['endedReason', 'startedAt', 'endedAt', 'cost', 'costs', 'analysis'])
    expect(call[field]).toEqual(report[field]);
  // The vendor's schema does not contain these members.
  for (const field of ['durationSeconds', 'recordingUrl', 'transcript', 'costBreakdown', 'summary'])
    expect(report).not.toHaveProperty(field);
});

test('a transferred call has a forwarding update with destination, transcript and summary', async () => {
  await control.script(number, { behaviour: 'transfer', transferTo: '+14155550100' });
  await play();
  expect(names()).toEqual(['queued', 'ringing', 'in-progress', 'forwarding', 'ended', 'end-of-call-report']);
  const destination = { type: 'number', number: '+14155550100' };
  expect(received[3]?.message).toMatchObject({
    destination,
    transcript: expect.any(String),
    summary: expect.any(String),
  });
  expect(received[5]?.message).toMatchObject({ endedReason: 'assistant-forwarded-call', destination });
});

test('messages contain secrets that a receiver must not store', async () => {
  await play();
  const { message } = received.at(-1) as Received;
  expect(message.phoneNumber.twilioAuthToken).toEqual(expect.any(String));
  expect(message.assistant.server.headers).toEqual({ 'x-secret': 's3cret' });
  expect(message.artifact.variableValues['phoneNumber.twilioAuthToken']).toEqual(expect.any(String));
  expect((await fetch(message.artifact.presignedMonoUrl)).status).toBe(200);
});

test('only the requested types are sent', async () => {
  await play({ serverMessages: ['end-of-call-report'] });
  expect(names()).toEqual(['end-of-call-report']);
});

test('the vendor’s many default types are sent if the assistant requests no types', async () => {
  await play({ serverMessages: undefined });
  expect(new Set(received.map(({ message }) => message.type))).toEqual(
    new Set(['assistant.started', 'conversation-update', 'end-of-call-report', 'speech-update', 'status-update']),
  );
});

test('every message can arrive twice', async () => {
  await control.script(number, { behaviour: 'answer', duplicateMessages: true });
  await play();
  expect(names()).toEqual(story.flatMap((name) => [name, name]));
});

test('messages can arrive newest first, or in an order drawn from a seed', async () => {
  await control.script(number, { behaviour: 'answer', shuffleMessages: true });
  await play();
  expect(names()).toEqual(story.toReversed());
  received.length = 0;
  await control.script(number, { behaviour: 'answer', shuffleMessages: 7 });
  await play();
  const drawn = names();
  expect(drawn).not.toEqual(story);
  expect(drawn.toSorted()).toEqual(story.toSorted());
  received.length = 0;
  await play();
  expect(names()).toEqual(drawn);
});

test('the report, or the end and the report, can be lost, but GET /call/{id} has them', async () => {
  await control.script(number, { behaviour: 'answer', dropLast: 'report' });
  await play();
  expect(names()).toEqual(story.slice(0, 4));
  received.length = 0;
  await control.script(number, { behaviour: 'answer', dropLast: 'ended-and-report' });
  const id = await play();
  expect(names()).toEqual(story.slice(0, 3));
  expect(await callOf(id)).toMatchObject({
    status: 'ended',
    endedReason: 'customer-ended-call',
    cost: expect.any(Number),
  });
});

/** Plays a call whose report gets these answers, with delays divided by 50. @returns the delays in milliseconds */
async function delaysOf(type: string, ...failures: number[]): Promise<number[]> {
  await control.settings({ speed: 50 });
  await control.script(number, { behaviour: 'busy', queueSeconds: 0, ringSeconds: 0, reportSeconds: 0 });
  answers = failures;
  await play({ serverMessages: ['end-of-call-report'] }, { backoffPlan: { ...backoffPlan, type } });
  return received.slice(1).map(({ at }, index) => at - (received[index]?.at ?? 0));
}

test('a backoff plan repeats a failed delivery up to its retries, after delays scaled by speed', async () => {
  const delays = await delaysOf('fixed', 500, 302, 404, 503);
  expect(names()).toEqual(Array(4).fill('end-of-call-report'));
  for (const delay of delays) {
    expect(delay).toBeGreaterThan(90);
    // Without the scale, it would take five seconds.
    expect(delay).toBeLessThan(4000);
  }
  const deliveries = [500, 302, 404, 503].map((answer, index) => ({ attempt: index + 1, answer }));
  expect((await control.calls(number))[0]?.messages).toMatchObject([{ type: 'end-of-call-report', deliveries }]);
});

test('an exponential plan doubles its delay', async () => {
  const [first = 0, second = 0, third = 0] = await delaysOf('exponential', 500, 500, 500);
  expect([first > 90, second > 190, third > 390]).toEqual([true, true, true]);
});

test('no delivery is repeated without a plan, after a success or after an excluded status', async () => {
  answers = [500];
  await play({ serverMessages: ['end-of-call-report'] });
  answers = [401];
  const plan = { ...backoffPlan, excludedStatusCodes: [401] };
  await play({ serverMessages: ['end-of-call-report'] }, { backoffPlan: plan });
  expect(received).toHaveLength(2);
});

test('a receiver that does not answer within its time-out counts as failed', async () => {
  answers = ['never'];
  const plan = { ...backoffPlan, maxRetries: 1 };
  await play({ serverMessages: ['end-of-call-report'] }, { timeoutSeconds: 3, backoffPlan: plan });
  const [call] = await control.calls(number);
  expect(call?.messages[0]?.deliveries.map(({ answer }) => answer)).toEqual(['timeout', 200]);
});
