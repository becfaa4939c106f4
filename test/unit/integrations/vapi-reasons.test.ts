import { readPhoneNumber } from '../../../shared/integrations/voice/vapi/phone-number.ts';
import { vapi } from '../../../shared/integrations/voice/vapi/vapi.ts';
import type { DialRequest } from '../../../shared/integrations/voice/voice-platform.ts';
import { closeServers, serve } from '../../support/loopback.ts';

afterEach(closeServers);

type Answer = { status?: number; body?: object; location?: string };

/** Starts a platform with an answer for each path. Each answer names the URL that ends a call. */
async function aPlatform(answers: Record<string, Answer>, phone_number_id: string | undefined = 'number-1') {
  const { url } = await serve((request, response) => {
    const { status = 200, body, location } = answers[request.url ?? ''] ?? { status: 404 };
    const monitor = { controlUrl: `http://${request.headers.host}/control` };
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(body && JSON.stringify({ monitor, ...body }));
  });
  const credentials = async () => ({ api_key: 'key', ...(phone_number_id && { phone_number_id }) });
  return { url, ...vapi({ url, credentials, now: () => new Date() }) };
}

const dialRequest: DialRequest = {
  callId: 'call_1',
  phoneNumber: '+919812345678',
  voiceNumberId: undefined,
  assistantName: 'Asha',
  prompt: 'p',
  firstMessage: 'Namaste.',
  voice: undefined,
  language: undefined,
  transferNumber: undefined,
  maxDurationSeconds: 600,
  reports: { url: 'https://svc', headers: {} },
};
type Platform = Awaited<ReturnType<typeof aPlatform>>;
const dial = (platform: Platform) => platform.dial(dialRequest);
const read = (platform: Platform) => platform.read('p1');
const hangUp = (platform: Platform) => platform.hangUp('p1');
const readRecording = (platform: Platform) => platform.recording('p1');
const readNumber = ({ url }: Platform) => readPhoneNumber({ url, apiKey: 'key', timeoutMs: 5_000 }, 'number-1');

const unreadable = { body: { id: 7, status: 7 } };
const live = { body: { id: 'p1', status: 'ringing' } };
const storedAt = (location: string) => ({ '/call/p1/mono-recording': { status: 302, location } });

it.each<[request: string, (platform: Platform) => Promise<object>, Record<string, Answer>, outcome: object]>([
  ['dial', dial, { '/call': { status: 201, body: { id: 7 } } }, { kind: 'unknown', reason: 'unreadable answer' }],
  ['read', read, { '/call/p1': unreadable }, { kind: 'unknown', reason: 'unreadable answer' }],
  ['read', read, { '/call/p1': { body: { id: 'p1', status: 'x' } } }, { kind: 'unknown', reason: 'unknown status' }],
  ['hang-up', hangUp, { '/call/p1': unreadable }, { kind: 'unreachable', reason: 'unreadable answer' }],
  ['hang-up', hangUp, { '/call/p1': live, '/control': { status: 503 } }, { kind: 'unreachable', reason: 'status 503' }],
  ['recording', readRecording, storedAt('https://'), { kind: 'unknown', reason: 'unreadable recording address' }],
  ['recording', readRecording, storedAt('ftp://storage/a'), { kind: 'unknown', reason: 'insecure recording address' }],
  [
    'recording',
    readRecording,
    { ...storedAt('/storage'), '/storage': { status: 500 } },
    { kind: 'unknown', reason: 'storage status 500' },
  ],
  [
    'calling number',
    readNumber,
    { '/phone-number/number-1': unreadable },
    { kind: 'unknown', reason: 'unreadable answer' },
  ],
])('a %s ends with the reason if the platform does not answer as documented', async (_, request, answers, outcome) => {
  expect(await request(await aPlatform(answers))).toEqual(outcome);
});

it('a call without a calling number is not dialed, and the reason says so', async () => {
  expect(await dial(await aPlatform({}, ''))).toMatchObject({ reason: 'no calling number is configured' });
});
