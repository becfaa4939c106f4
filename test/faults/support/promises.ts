import { setTimeout as sleep } from 'node:timers/promises';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import { expectUsage } from '../../support/calls/usage.ts';
import { expectBalancedBooks, liveCallsOf, stores } from '../../support/organizations/orgs.ts';
import {
  db,
  eventually,
  filesBucket,
  named,
  now,
  passTime,
  recoverCalls,
  s3,
  underWay,
  voice,
} from '../../support/stack/stack.ts';
import { CREDITS, callOf, type Probe } from './probes.ts';

const UNITS = 1_000;
/** A dead call must end within this time of the platform's last act (docs/call-lifecycle.md, "recover-calls"). */
const LONGEST_END_MINUTES = 15;
const SCHEDULE_MINUTES = 5;
/** The longest time that a burst takes on a slow machine. */
const MAX_BUSY_SECONDS = 300;
const MOMENT_MS = 130;

const isOver = (call: Call | undefined): boolean => call !== undefined && isTerminal(call.status);
const isDone = (call: Call | undefined): boolean =>
  isOver(call) && call?.finished_at !== undefined && call.unfinished === undefined;

export const isFinished = async (probe: Probe): Promise<boolean> => isDone(await callOf(probe));

let recoveredAt = 0;

/**
 * Passes service time and runs recover-calls as often as its schedule does, because the emulator starts a due schedule
 * up to a second late, and a test passes minutes in that second.
 */
export async function pass(seconds: number): Promise<void> {
  await passTime(seconds);
  if (now().getTime() - recoveredAt < SCHEDULE_MINUTES * 60_000) return;
  recoveredAt = now().getTime();
  await recoverCalls();
}

/**
 * Passes service time and runs due schedules until all work on the calls is complete. Fails if a call is overdue.
 * @param step in seconds, at most a minute
 */
export async function settle(probes: readonly Probe[], { step = 60, minutes = 45 } = {}): Promise<void> {
  const end = now().getTime() + minutes * 60_000;
  for (;;) {
    await quiet();
    const open = (await callsOf(probes)).filter((call) => !isDone(call));
    if (open.length === 0) return;
    await expectNoneOverdue(open.filter((call) => !isOver(call)));
    if (now().getTime() > end)
      throw new Error(`not done after ${minutes} minutes: ${JSON.stringify(open.slice(0, 3))}`);
    await pass(step);
  }
}

/** Reads the calls, with one request per organization. */
async function callsOf(probes: readonly Probe[]): Promise<Call[]> {
  const orgIds = [...new Set(probes.map(({ org }) => org.orgId))];
  const lists = await Promise.all(orgIds.map((orgId) => stores.calls.listOfOrg(orgId, { limit: 5_000 })));
  return lists.flat() as Call[];
}

/** Returns whether platform and workers stay idle for a moment in which a due schedule may start. */
export async function isQuiet(): Promise<boolean> {
  if ((await underWay()) > 0 || !(await isPlatformIdle())) return false;
  await sleep(MOMENT_MS);
  return (await underWay()) === 0 && (await isPlatformIdle());
}

const isPlatformIdle = (): Promise<boolean> =>
  voice.untilIdle(0).then(
    () => true,
    () => false,
  );

export async function quiet(): Promise<void> {
  await eventually(isQuiet, (isStill) => isStill, MAX_BUSY_SECONDS);
}

/** Fails if a call is open too long after the platform's last act. A waiting call may wait until its dial_by. */
async function expectNoneOverdue(open: readonly Call[]): Promise<void> {
  // The clock moves by up to a minute at a time.
  const isOld = (instant: string, minutes: number) => now().getTime() - Date.parse(instant) > (minutes + 1) * 60_000;
  const suspects = open.filter(
    ({ created_at, unfinished, dial_by }) =>
      isOld(created_at, LONGEST_END_MINUTES) && (unfinished !== 'waiting' || isOld(dial_by, SCHEDULE_MINUTES)),
  );
  for (const call of suspects) {
    const [requests, calls] = await Promise.all([voice.requests(call.phone_number), voice.calls(call.phone_number)]);
    const deliveries = calls.flatMap(({ messages }) => messages.flatMap((message) => message.deliveries));
    const acts = [...requests, ...deliveries].map(({ at }) => at);
    const updates = calls.map(({ call: { updatedAt } }) => updatedAt);
    const last = [call.dial_claimed_at ?? call.created_at, ...acts, ...updates].sort().at(-1) ?? '';
    if (isOld(last, LONGEST_END_MINUTES))
      throw new Error(`overdue, the platform's last act was at ${last}: ${JSON.stringify(call)}`);
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
  expect(await liveCallsOf(probe.org)).toBe(0);
  await expectItsRecording(call);
  expectItsAnalysis(call);
  return call;
}

async function expectItsRecording({ duration = 0, recording }: Call): Promise<void> {
  expect(recording?.state).toBe(duration > 0 ? 'stored' : 'none');
  if (duration === 0) return;
  const file = await s3.send(new HeadObjectCommand({ Bucket: await filesBucket(), Key: recording?.key }));
  expect(file.ContentLength).toBeGreaterThan(44);
}

/** Checks that every answered call was analyzed. */
function expectItsAnalysis({ status, duration = 0, transcript_key, analysis }: Call): void {
  const isAnalyzed = duration > 0 && status !== 'no_answer' && transcript_key !== undefined;
  expect(analysis?.state ?? 'none').toBe(isAnalyzed ? 'done' : 'none');
}

/** Waits until the stage's counter equals the number of live calls. */
async function expectSlotsBack(): Promise<void> {
  const live = { FilterExpression: 'attribute_exists(slots)', Select: 'COUNT', ConsistentRead: true } as const;
  await eventually(
    async () => {
      const { Count = 0 } = await db.send(new ScanCommand({ TableName: named.table('calls'), ...live }));
      return { withSlots: Count, counted: (await stores.slots.stage()).live };
    },
    ({ withSlots, counted }) => withSlots === counted,
  );
}

/** Checks all promises of all calls of these organizations. @returns the ended calls */
export async function expectAllKept(probes: readonly Probe[]): Promise<Call[]> {
  const { byNumber } = await voice.allRings();
  const calls = await Promise.all(probes.map((probe) => expectKept(probe, byNumber)));
  for (const orgId of new Set(calls.map(({ org_id }) => org_id))) {
    const costs = calls.filter(({ org_id }) => org_id === orgId).map(({ cost = 0 }) => cost);
    const balance = CREDITS * UNITS - costs.reduce((sum, cost) => sum + cost, 0);
    const books = await expectBalancedBooks(orgId);
    expect(books).toMatchObject({ held: 0, balance });
    await expectCounted(orgId, books.entries);
  }
  await expectSlotsBack();
  return calls;
}

/**
 * Checks that the counters contain every end and every first analysis once, and that their credit equals the ledger's.
 */
async function expectCounted(orgId: string, ledger: Parameters<typeof expectUsage>[2]): Promise<void> {
  const calls = (await stores.calls.listOfOrg(orgId, { limit: 5_000 })) as Call[];
  expect(calls.filter(({ usage_day }) => usage_day === undefined)).toEqual([]);
  expectUsage(await stores.usage.ofDays(orgId, { from: '0', to: '9' }), calls, ledger);
}

/** Settles the calls and checks all promises. @returns the calls, each of which rang once and is completed */
export async function expectCompletedOnce(
  probes: readonly Probe[],
  time?: { step?: number; minutes?: number },
): Promise<Call[]> {
  await settle(probes, time);
  const calls = await expectAllKept(probes);
  const { byNumber } = await voice.allRings();
  expect(calls.map(({ phone_number, status }) => [phone_number, status, byNumber[phone_number]])).toEqual(
    calls.map(({ phone_number }) => [phone_number, 'completed', 1]),
  );
  return calls;
}
