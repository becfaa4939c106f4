import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { FunctionName } from '../../../lib/functions.ts';
import type { QueueName } from '../../../lib/queues.ts';
import type { Script } from '../../../local/simulators/voice/scripts.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import { callIdFor } from '../../../shared/domain/ids.ts';
import { type Armed, type Fault, type FaultProxy, faultProxy, type Plan } from '../../support/fault-proxy.ts';
import { anOrg, expectBalancedBooks, stores, type TestOrg } from '../../support/orgs.ts';
import { aPhoneNumber, postCallUntilTaken } from '../../support/rest.ts';
import {
  db,
  eventually,
  filesBucket,
  named,
  nothingIsUnderWay,
  now,
  passTime,
  queueUrl,
  s3,
  sqs,
  underWay,
  voice,
} from '../../support/stack.ts';

/** `npm test` loses each answer together with its worker; `npm run test:matrix` applies every fault. */
export const isMatrix = process.env.FAULTS === 'matrix';
export const faultsToTry: Fault[] = isMatrix ? ['drop-and-kill', 'drop', 'kill-before'] : ['drop-and-kill'];

/** The platform's behaviours. The matrix disturbs every request under each of them. */
const allPlatforms: { platform: string; script: Script }[] = [
  { platform: 'answers', script: { behaviour: 'answer' } },
  { platform: 'finds nobody at home', script: { behaviour: 'no-answer' } },
  { platform: 'answers 500 after dialing', script: { behaviour: 'server-error-after-dialing' } },
  { platform: 'dials and never answers us', script: { behaviour: 'hang' } },
  { platform: 'breaks the connection after dialing', script: { behaviour: 'drop-after-accepting' } },
  {
    platform: 'accepts and has no slot',
    script: { behaviour: 'not-started', endedReason: 'call.start.error-subscription-concurrency-limit-reached' },
  },
  { platform: 'says everything twice', script: { behaviour: 'answer', duplicateMessages: true } },
  { platform: 'says everything in the wrong order', script: { behaviour: 'answer', shuffleMessages: true } },
  { platform: 'never reports the end', script: { behaviour: 'answer', dropLast: 'report' } },
  { platform: 'never says that it ended', script: { behaviour: 'answer', dropLast: 'ended-and-report' } },
];
const platforms = isMatrix ? allPlatforms : allPlatforms.slice(0, 1);
/** Every fault under every behaviour of the platform. */
export const cases = platforms.flatMap((platform) => faultsToTry.map((fault) => ({ fault, ...platform })));

/** Only Linux lets us tell a function's workers from other processes. */
export const onLinux = process.platform === 'linux' ? describe : describe.skip;

export const CREDITS = 10_000;
const UNITS = 1_000;
/** A dead call must end this long after the platform's last act (docs/call-lifecycle.md, "recover-calls"). */
const LONGEST_END_MINUTES = 15;
const SCHEDULE_MINUTES = 5;
/** VOICE_SLOTS of the stage (lib/stage.ts). */
const STAGE_SLOTS = 10;
/** The longest time that a burst takes on a slow machine. */
const MOST_BUSY_MS = 300_000;
/** The least quiet time: this long, and this many reads of calls and workers. */
const MOMENT_MS = 130;
const SLOWNESS = 6;
/** Shortest and longest wait for a fault to strike, and the idle time after which it is given up. */
const LEAST_STRIKE_MS = 8_000;
const MOST_STRIKE_MS = 120_000;
const STILL_MS = 5_000;
const LOOKS_APART_MS = 250;

/** Puts a proxy in front of one function. The platform has more slots than the service uses. */
export function disturbed(name: FunctionName): () => FaultProxy {
  let faults: FaultProxy;
  beforeAll(async () => {
    await voice.settings({ speed: 200, slots: 100 });
    faults = await faultProxy();
    await faults.between(name);
  });
  afterAll(() => faults?.remove());
  return () => faults;
}

/** A call whose promises are checked. */
export type Probe = { org: TestOrg; phone: string; callId: string };

/** A call placed by REST, whose id is known in advance. */
export type RestProbe = Probe & {
  body: { phone_number: string; assistant_id: string; idempotency_key: string; callback_url?: string };
};

export async function aProbe(settings: { script?: Script; callbackUrl?: string } = {}): Promise<RestProbe> {
  const org = await anOrg({ credits: CREDITS });
  const probe = anotherProbe(org, settings.callbackUrl);
  if (settings.script) await voice.script(probe.phone, settings.script);
  return probe;
}

/** Another call of the same org. */
export function anotherProbe(org: TestOrg, callbackUrl?: string): RestProbe {
  const phone = aPhoneNumber();
  const body = {
    phone_number: phone,
    assistant_id: org.assistantId,
    idempotency_key: phone,
    ...(callbackUrl && { callback_url: callbackUrl }),
  };
  return { org, phone, body, callId: callIdFor(org.orgId, body.idempotency_key) };
}

export async function place({ org, body }: RestProbe): Promise<void> {
  const answers = await postCallUntilTaken(org, body);
  const answer = answers.at(-1) ?? answers[0];
  if (answer.status !== 202) throw new Error(`not placed: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Delivers a duplicate message. */
export async function send(queue: QueueName, message: object): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: JSON.stringify(message) }));
}

export const callOf = ({ callId }: Probe): Promise<Call | undefined> => stores.calls.get(callId);

const isOver = (call: Call | undefined): boolean => call !== undefined && isTerminal(call.status);
const isDone = (call: Call | undefined): boolean =>
  isOver(call) && call?.finished_at !== undefined && call.unfinished === undefined;

/**
 * Waits for a fault to strike, while anything is under way, and a few seconds in any case.
 * @returns false if the call passed the function without meeting the fault, which is then disarmed, so that it does not
 * strike the duplicate.
 */
export async function struck(armed: Armed, isThrough: () => Promise<boolean>): Promise<boolean> {
  const started = performance.now();
  let [looked, moved, asked] = [started, started, 0];
  while (!armed.struck && !(await isThrough())) {
    const at = performance.now();
    if (at - started > MOST_STRIKE_MS || (at - started > LEAST_STRIKE_MS && at - moved > STILL_MS)) break;
    if (at - looked > LOOKS_APART_MS) {
      if ((await underWay()) > 0 || armed.requests.length > asked) moved = performance.now();
      [looked, asked] = [at, armed.requests.length];
    }
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  if (!armed.struck) armed.disarm();
  return armed.struck !== undefined;
}

export const isFinished = (probe: Probe) => async (): Promise<boolean> => isDone(await callOf(probe));

/** Whether a request may change something: reads and decryptions do not. */
const hasEffect = (what: string): boolean =>
  !/^(DynamoDB (GetItem|BatchGetItem|Query)|secretsmanager GetSecretValue|kms Decrypt)\b|^\S+( \S+)? (GET|HEAD) /i.test(
    what,
  );

/** The request to disturb: the n-th of its kind, because a call's messages may overtake each other. */
export type Target = Pick<Plan, 'what' | 'request'>;
export type Round = { probe: Probe; armed: Armed; struck: boolean };

/**
 * Runs one call undisturbed, and then one call per request of the first call, each with the fault at that request.
 * `npm test` disturbs the first request and those with an effect: a worker that dies at a read leaves the same state as
 * one that dies after the write before it. The matrix disturbs every request.
 * @param round runs one call, with the fault at the target, if any. `isAlone`: no other round runs.
 * @param atOnce concurrent rounds. Only for batches of one call, because a killed worker delays its whole batch.
 * @param isOfInterest the kinds of requests that `npm test` disturbs.
 * @returns all calls, and the kinds of requests.
 */
export async function atEveryRequest(
  round: (target: Partial<Target>, isAlone: boolean) => Promise<Round>,
  { atOnce = 1, isOfInterest = hasEffect }: { atOnce?: number; isOfInterest?: (what: string) => boolean } = {},
): Promise<{ probes: Probe[]; kinds: string[] }> {
  const probes: Probe[] = [];
  const run = async (target: Partial<Target>, isAlone: boolean) => {
    const { probe, armed, struck } = await round(target, isAlone);
    armed.disarm();
    probes.push(probe);
    return { made: armed.requests, struck };
  };
  await untilSlotsAreFree(atOnce);
  const { made } = await run({}, true);
  const targets = made
    .map((what, index) => ({
      what,
      request: made.slice(0, index + 1).filter((one) => one === what).length,
    }))
    .filter(({ what }, index) => isMatrix || index === 0 || isOfInterest(what));
  const missed: Target[] = [];
  for (let start = 0; start < targets.length; start += atOnce) {
    const some = targets.slice(start, start + atOnce);
    await untilSlotsAreFree(atOnce);
    const rounds = await Promise.all(some.map((target) => run(target, atOnce === 1)));
    // Whether a second request of a kind occurs depends on batching; a first one always occurs.
    missed.push(...some.filter(({ request }, index) => request === 1 && !rounds[index]?.struck));
  }
  for (const target of missed) {
    await untilSlotsAreFree(1);
    const { made, struck } = await run(target, true);
    if (!struck) throw new Error(`${target.what} was not requested, but ${made.join(', ')}`);
  }
  return { probes, kinds: [...new Set(made)] };
}

/** Disturbed calls keep their slot until recover-calls settles them, so time must pass before the next ones. */
async function untilSlotsAreFree(wanted: number): Promise<void> {
  for (let minute = 0; minute < 30; minute += 1) {
    if ((await stores.slots.stage()).live + wanted <= STAGE_SLOTS) return;
    await voice.untilIdle(MOST_BUSY_MS);
    await passTime(60);
    await nothingIsUnderWay();
  }
}

/**
 * Passes service time, with the schedules that fall due, until all work on the calls is done. Fails if a call is
 * overdue.
 * @param step in seconds, at most a minute.
 */
export async function settle(probes: readonly Probe[], { step = 60, minutes = 45 } = {}): Promise<void> {
  const end = now().getTime() + minutes * 60_000;
  for (;;) {
    await voice.untilIdle(MOST_BUSY_MS);
    await quiet(probes);
    const open = (await callsOf(probes)).filter((call) => !isDone(call));
    if (open.length === 0) return;
    await expectNoneOverdue(open.filter((call) => !isOver(call)));
    if (now().getTime() > end)
      throw new Error(`not done after ${minutes} minutes: ${JSON.stringify(open.slice(0, 3))}`);
    await passTime(step);
  }
}

/** Reads the calls, with one request per org. */
async function callsOf(probes: readonly Probe[]): Promise<Call[]> {
  const orgIds = [...new Set(probes.map(({ org }) => org.orgId))];
  const lists = await Promise.all(orgIds.map((orgId) => stores.calls.listOfOrg(orgId, { limit: 5_000 })));
  return lists.flat();
}

/**
 * Waits until the workers are idle and the calls have not changed for a moment. The moment grows with the slowness of
 * the machine: passing time while workers lag behind would look like a late service.
 */
async function quiet(probes: readonly Probe[]): Promise<void> {
  const end = performance.now() + MOST_BUSY_MS;
  let before = '';
  let since = performance.now();
  while (performance.now() < end) {
    const started = performance.now();
    const [calls, left] = await Promise.all([callsOf(probes), underWay()]);
    const looked = performance.now();
    const seen = JSON.stringify(calls);
    if (seen !== before || left > 0) since = looked;
    before = seen;
    const moment = Math.max(MOMENT_MS, SLOWNESS * (looked - started));
    if (looked - since >= moment) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Fails if a call is open too long after the platform's last act. A waiting call may wait until its dial_by. */
async function expectNoneOverdue(open: readonly Call[]): Promise<void> {
  const isOld = (instant: string, minutes: number) => now().getTime() - Date.parse(instant) > minutes * 60_000;
  // The clock moves by up to a minute at a time.
  const suspects = open.filter(({ created_at }) => isOld(created_at, LONGEST_END_MINUTES + 1));
  if (suspects.length === 0) return;
  const [requests, calls] = await Promise.all([voice.requests(), voice.calls()]);
  for (const call of suspects) {
    const acts = [
      call.dial_claimed_at ?? call.created_at,
      ...requests.filter(({ number }) => number === call.phone_number).map(({ at }) => at),
      ...calls
        .filter(({ number }) => number === call.phone_number)
        .flatMap(({ call: { updatedAt }, messages }) => [
          updatedAt,
          ...messages.flatMap(({ deliveries }) => deliveries.map(({ at }) => at)),
        ]),
    ];
    const last = acts.sort().at(-1) ?? '';
    const mayWait = call.unfinished === 'waiting' && !isOld(call.dial_by, SCHEDULE_MINUTES + 1);
    const isOverdue = !mayWait && isOld(last, LONGEST_END_MINUTES + 1);
    if (isOverdue) throw new Error(`overdue, the platform's last act was at ${last}: ${JSON.stringify(call)}`);
  }
}

/** Checks the promises of one ended call, whatever fault it met. */
async function expectKept(probe: Probe, rings: Readonly<Record<string, number>>): Promise<Call> {
  const call = await callOf(probe);
  if (!call) throw new Error(`no call ${probe.callId}`);
  expect(isTerminal(call.status)).toBe(true);
  expect(call.finished_at).toBeDefined();
  expect(call.unfinished).toBeUndefined();
  expect(rings[probe.phone] ?? 0).toBeLessThanOrEqual(1);
  expect((await stores.slots.liveOfOrgs([probe.org.orgId])).get(probe.org.orgId) ?? 0).toBe(0);
  await expectItsRecording(call);
  expectItsAnalysis(call);
  return call;
}

async function expectItsRecording(call: Call): Promise<void> {
  if ((call.duration ?? 0) === 0) {
    expect(call.recording).toEqual({ state: 'none' });
    return;
  }
  expect(call.recording?.state).toBe('stored');
  const { ContentLength } = await s3.send(
    new HeadObjectCommand({ Bucket: await filesBucket(), Key: call.recording?.key }),
  );
  expect(ContentLength).toBeGreaterThan(44);
}

/** Checks that every answered call was analyzed. */
function expectItsAnalysis({ status, duration = 0, transcript_key, analysis }: Call): void {
  const isAnalyzed = duration > 0 && status !== 'no_answer' && transcript_key !== undefined;
  expect(analysis?.state ?? 'none').toBe(isAnalyzed ? 'done' : 'none');
}

/** Checks that the stage's counter equals the number of live calls. */
async function expectSlotsBack(): Promise<void> {
  const count = async () => {
    const { Count } = await db.send(
      new ScanCommand({
        TableName: named.table('calls'),
        FilterExpression: 'attribute_exists(slots)',
        Select: 'COUNT',
        ConsistentRead: true,
      }),
    );
    return { withSlots: Count ?? 0, counted: (await stores.slots.stage()).live };
  };
  const { withSlots, counted } = await eventually(count, ({ withSlots, counted }) => withSlots === counted);
  expect(counted).toBe(withSlots);
}

/** Checks all promises of all calls of these orgs. @returns the ended calls. */
export async function expectAllKept(probes: readonly Probe[]): Promise<Call[]> {
  const { byNumber } = await voice.allRings();
  const calls: Call[] = [];
  for (const probe of probes) calls.push(await expectKept(probe, byNumber));
  for (const orgId of new Set(calls.map(({ org_id }) => org_id))) {
    const costs = calls.filter(({ org_id }) => org_id === orgId).map(({ cost = 0 }) => cost);
    const balance = CREDITS * UNITS - costs.reduce((sum, cost) => sum + cost, 0);
    expect(await expectBalancedBooks(orgId)).toMatchObject({ held: 0, balance });
  }
  await expectSlotsBack();
  return calls;
}
