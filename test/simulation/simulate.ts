import type { Call } from '../../shared/domain/calls/call.ts';
import type { ActivityEntry } from '../../shared/domain/connections/activity.ts';
import { booksOracle } from './books.ts';
import { fairnessOracle } from './fairness.ts';
import { callsOracle, checkEnd, type Fail, type Violation } from './oracles.ts';
import { platformOf } from './platform.ts';
import { processes as processesOf } from './processes.ts';
import { randomOf } from './random.ts';
import { ringsOracle } from './rings.ts';
import { serviceOf } from './service.ts';
import { timeline as timelineOf } from './timeline.ts';
import { trace as traceOf } from './trace.ts';
import { leadOf, trafficOf } from './traffic.ts';
import { weatherOf } from './weather.ts';

const MINUTE_MS = 60_000;
const MOST_MS = 10 * 24 * 60 * MINUTE_MS;
/** Times of a Monday in India: inside the call windows, at their edges, near midnight, before they open. */
const starts = ['10:00', '11:30', '20:30', '23:20', '07:00'];

export type Run = {
  seed: number;
  calls: number;
  rings: number;
  crashes: number;
  /** Processes that ended with an error. */
  errors: number;
  redriven: number;
  dialMessages: number;
  hours: number;
  storm: number;
  violation: Violation | undefined;
  /** The steps before the violation. */
  steps: string[];
};

/** Runs one world until nothing is left to do in it, or until it breaks a promise. The seed decides everything. */
export async function simulate(seed: number, { requests = 250, isTraced = false } = {}): Promise<Run> {
  const random = randomOf(seed);
  const weather = weatherOf(random);
  const startMs = Date.parse(`2026-03-02T${random.pick(starts)}+05:30`);
  const timeline = timelineOf(startMs);
  const trace = traceOf(() => timeline.ms, isTraced);
  const processes = processesOf(timeline, random, weather, trace);
  const parts = { timeline, random, weather, processes, onPoison: (text: string) => fail('drained', text, []) };
  const stageSlots = random.whole(2, 10);

  let violation: Violation | undefined;
  const fail: Fail = (oracle, text, about) => {
    violation ??= { oracle, text, about };
  };
  const limits = new Map<string, number>([['stage', stageSlots]]);
  const books = booksOracle(fail, (scope) => limits.get(scope) ?? Number.POSITIVE_INFINITY);
  const lives = callsOracle(fail);
  const fairness = fairnessOracle(fail, () => timeline.ms, weather.storm === 0);
  const dialMessages = new Map<string, number>();
  const outages = Array.from({ length: random.whole(0, 2) }, () => startMs + random.whole(0, 90) * MINUTE_MS);
  const isDown = (lengthMs: number) => outages.some((from) => timeline.ms >= from && timeline.ms < from + lengthMs);

  const stored = (callId: string) => service.tables.find('calls', { call_id: callId }) as Call | undefined;
  const rings = ringsOracle(fail, stored);
  const service = serviceOf(
    parts,
    (given) => ({
      voice: platformOf(given, {
        report: (...message) => service.report(...message),
        onRing: (record) => {
          trace.note('platform', () => `${record.id} of ${record.callId} rings`);
          rings.onRing(record);
        },
        isDown: () => isDown(6 * MINUTE_MS),
      }).voice,
      crm: (leadId) =>
        isDown(20 * MINUTE_MS) ? { kind: 'unavailable', reason: 'down' } : { kind: 'found', lead: leadOf(leadId) },
    }),
    stageSlots,
    {
      onChange: (...change) => {
        books.onChange(...change);
        lives.onChange(...change);
        fairness.onChange(...change);
      },
      onRequest: () => {
        books.check();
        fairness.check();
      },
      onDialMessage: (callId) => dialMessages.set(callId, (dialMessages.get(callId) ?? 0) + 1),
    },
  );
  const traffic = trafficOf(parts, service, requests);
  for (const { org_id, max_live_calls } of service.tables.all('organizations'))
    if (max_live_calls !== undefined) limits.set(`org#${org_id}`, Number(max_live_calls));
  traffic.begin();

  let isDrained = false;
  const watch = () => {
    isDrained =
      traffic.isOver() && lives.unfinished.size === 0 && service.backlog() === 0 && processes.counts.running === 0;
    if (timeline.ms - startMs > MOST_MS) {
      const [first] = lives.unfinished;
      fail(
        'drained',
        `${lives.unfinished.size} calls and ${service.backlog()} messages are left`,
        first ? [first] : [],
      );
    }
    timeline.after(MINUTE_MS, watch);
  };
  watch();
  await timeline.run(() => isDrained || violation !== undefined);

  if (!violation) {
    books.checkEmpty();
    checkEnd(fail, {
      calls: service.tables.all('calls') as unknown as Call[],
      claims: service.tables.all('claims'),
      entries: service.tables.all('activity') as unknown as ActivityEntry[],
      events: traffic.events,
      promised: [...traffic.promised],
      rung: rings.rung,
    });
  }
  return {
    seed,
    calls: lives.created,
    rings: rings.rings,
    crashes: processes.counts.died,
    errors: processes.counts.failed,
    redriven: Object.values(service.queues).reduce((sum, { redriven }) => sum + redriven, 0),
    dialMessages: Math.max(0, ...dialMessages.values()),
    hours: (timeline.ms - startMs) / 3_600_000,
    storm: weather.storm,
    violation,
    steps: violation ? [...trace.lines(80, violation.about), '…', ...trace.lines(15)] : [],
  };
}
