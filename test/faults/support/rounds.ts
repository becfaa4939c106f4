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

/** `npm test` loses each answer with its worker, once; `npm run test:matrix` does all of this. */
export const isMatrix = process.env.FAULTS === 'matrix';
export const faultsToTry: Fault[] = isMatrix ? ['drop-and-kill', 'drop', 'kill-before'] : ['drop-and-kill'];

/** What the platform does with the calls; the matrix disturbs every request under each. */
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
/** Every fault under every platform. */
export const cases = platforms.flatMap((platform) => faultsToTry.map((fault) => ({ fault, ...platform })));

/** The workers of a function can be told apart from other processes on Linux alone. */
export const onLinux = process.platform === 'linux' ? describe : describe.skip;

export const CREDITS = 10_000;
const UNITS = 1_000;
/** A dead call must be over this long after the platform's last act (docs/call-lifecycle.md, "recover-calls"). */
const LONGEST_END_MINUTES = 15;
const SCHEDULE_MINUTES = 5;
/** VOICE_SLOTS of the stage (lib/stage.ts). */
const STAGE_SLOTS = 10;
/** A burst keeps platform and workers busy for as long as this, on a slow machine. */
const MOST_BUSY_MS = 300_000;
/** A moment without a change is at least as long as this, and as this many looks at calls and workers. */
const MOMENT_MS = 130;
const SLOWNESS = 6;
/** How long a fault is waited for at least and at most, and how long nothing may have been under way before it is given up. */
const LEAST_STRIKE_MS = 8_000;
const MOST_STRIKE_MS = 120_000;
const STILL_MS = 5_000;
const LOOKS_APART_MS = 250;

/** A proxy before one function, and a platform that has room for more than the service dials at once. */
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

/** One call whose promises are looked at. */
export type Probe = { org: TestOrg; phone: string; callId: string };

/** One that is placed by REST: known by its id before. */
export type RestProbe = Probe & {
  body: { phone_number: string; assistant_id: string; idempotency_key: string; callback_url?: string };
};

export async function aProbe(settings: { script?: Script; callbackUrl?: string } = {}): Promise<RestProbe> {
  const org = await anOrg({ credits: CREDITS });
  const probe = anotherProbe(org, settings.callbackUrl);
  if (settings.script) await voice.script(probe.phone, settings.script);
  return probe;
}

/** A call of an org that has others. */
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

/** Delivers a message once more than its sender wanted. */
export async function send(queue: QueueName, message: object): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: JSON.stringify(message) }));
}

export const callOf = ({ callId }: Probe): Promise<Call | undefined> => stores.calls.get(callId);

const isOver = (call: Call | undefined): boolean => call !== undefined && isTerminal(call.status);
const isDone = (call: Call | undefined): boolean =>
  isOver(call) && call?.finished_at !== undefined && call.unfinished === undefined;

/**
 * Waits for a fault to strike: while anything is under way, and a few seconds in any case.
 * @returns false where the call got through all of the function, or as far as it gets by itself, without meeting it: the
 * fault is disarmed then, so that it does not befall the duplicate.
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

/** Which request of a call is disturbed: the n-th of its kind. Kinds, because a call's messages overtake each other. */
export type Target = Pick<Plan, 'what' | 'request'>;
export type Round = { probe: Probe; armed: Armed; struck: boolean };

/**
 * Lets one call through undisturbed, and then disturbs one request of another call after the other, until every one that
 * the first call made was disturbed once.
 * @param round one call with the fault at that request; without a target, with none. `isAlone`: no other round is on.
 * @param atOnce rounds under way together. Each call of a killed worker's batch waits, so only where a batch is one call's.
 * @param isOfInterest which kinds are disturbed by `npm test`; the matrix disturbs them all.
 * @returns all calls, and the kinds of requests.
 */
export async function atEveryRequest(
  round: (target: Partial<Target>, isAlone: boolean) => Promise<Round>,
  { atOnce = 1, isOfInterest = () => true }: { atOnce?: number; isOfInterest?: (what: string) => boolean } = {},
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
    .filter(({ what }) => isMatrix || isOfInterest(what));
  const missed: Target[] = [];
  for (let start = 0; start < targets.length; start += atOnce) {
    const some = targets.slice(start, start + atOnce);
    await untilSlotsAreFree(atOnce);
    const rounds = await Promise.all(some.map((target) => run(target, atOnce === 1)));
    // A second one of its kind depends on what came together; the first one does not.
    missed.push(...some.filter(({ request }, index) => request === 1 && !rounds[index]?.struck));
  }
  for (const target of missed) {
    await untilSlotsAreFree(1);
    const { made, struck } = await run(target, true);
    if (!struck) throw new Error(`${target.what} was not asked, but ${made.join(', ')}`);
  }
  return { probes, kinds: [...new Set(made)] };
}

/** Disturbed calls keep their slot until recover-calls has found out about them: then time has to pass for the next. */
async function untilSlotsAreFree(wanted: number): Promise<void> {
  for (let minute = 0; minute < 30; minute += 1) {
    if ((await stores.slots.stage()).live + wanted <= STAGE_SLOTS) return;
    await voice.untilIdle(MOST_BUSY_MS);
    await passTime(60);
    await nothingIsUnderWay();
  }
}

/**
 * Lets service time pass, with the schedules that fall due, until nothing is left to do for the calls; and sees to it that
 * each ends in time.
 * @param step seconds at a time, at most a minute.
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

/** The calls as they stand, in one request for each org. */
async function callsOf(probes: readonly Probe[]): Promise<Call[]> {
  const orgIds = [...new Set(probes.map(({ org }) => org.orgId))];
  const lists = await Promise.all(orgIds.map((orgId) => stores.calls.listOfOrg(orgId, { limit: 5_000 })));
  return lists.flat();
}

/**
 * Gives the workers time to act: until they have nothing in hand, and the calls did not change for a moment. The moment is
 * the longer the slower the machine is: time that passes while the workers cannot keep up with it would look like a service
 * that is late.
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

/** Fails where a call is open too long after the platform's last act. One that waits for its dial may wait until its dial_by. */
async function expectNoneOverdue(open: readonly Call[]): Promise<void> {
  const isOld = (instant: string, minutes: number) => now().getTime() - Date.parse(instant) > minutes * 60_000;
  // The clock is moved by up to a minute at a time.
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

/** What is promised of one call that is over, whatever happened to it. */
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

/** Of every call that was answered, whatever else befell it. */
function expectItsAnalysis({ status, duration = 0, transcript_key, analysis }: Call): void {
  const isAnalyzed = duration > 0 && status !== 'no_answer' && transcript_key !== undefined;
  expect(analysis?.state ?? 'none').toBe(isAnalyzed ? 'done' : 'none');
}

/** The stage's counter says how many calls are live, and once all are over, none. */
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

/** Everything that is promised, of all calls of these orgs. @returns the calls as they ended. */
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
