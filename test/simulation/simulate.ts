import './speed-up.ts';
import type { ActivityEntry } from '../../shared/domain/connections/activity.ts';
import type { LeadReading } from '../../shared/integrations/crm-b/lead-record.ts';
import { crmLeadsOf } from './crm-leads.ts';
import { failureRatesOf } from './failure-rates.ts';
import { oraclesOf } from './oracles/oracles.ts';
import type { Violation } from './oracles/violation.ts';
import { platformOf } from './platform.ts';
import { processes as processesOf } from './processes.ts';
import { randomOf } from './random.ts';
import { remoteOf } from './remote.ts';
import { serviceOf } from './service.ts';
import { stageSlotsOf } from './stage-slots.ts';
import { sweepOf } from './sweep.ts';
import { HOLD } from './tenants.ts';
import { timeline as timelineOf } from './timeline.ts';
import { trace as traceOf } from './trace.ts';
import { trafficOf } from './traffic.ts';

const MINUTE_MS = 60_000;
/**
 * The longest duration of a phase: the traffic, or the retries after it. A lead may be postponed seven times, from day
 * to day.
 */
const MAX_PHASE_MS = 10 * 24 * 60 * MINUTE_MS;
/** Times of a Monday in India: inside the call windows, at their edges, near midnight, and before they open. */
const starts = ['10:00', '11:30', '14:00', '20:30', '23:20', '23:45', '07:00'];
/** A quarter of an hour before the sweep of a Sunday. */
const SUNDAY = '2026-03-01T08:45';
/** One world in this many is crowded: few slots, and more organizations wait for them than one hand-over reads. */
const CROWDED = 10;

export type Run = {
  seed: number;
  calls: number;
  rings: number;
  /** Calls that a daily spend limit has delayed. */
  delayed: number;
  crashes: number;
  /** Processes that ended with an error. */
  errors: number;
  redriven: number;
  dialMessages: number;
  hours: number;
  failureLevel: number;
  violation: Violation | undefined;
  /** The steps before the violation. */
  steps: string[];
};

/** Runs one world until no work is left in it, or until it breaks a promise. The seed determines all its events. */
export async function simulate(seed: number, { requests = 60, isTraced = false } = {}): Promise<Run> {
  const random = randomOf(seed);
  const rates = failureRatesOf(random, seed);
  const day = random.chance(0.2) ? SUNDAY : `2026-03-02T${random.pick(starts)}`;
  const startMs = Date.parse(`${day}+05:30`);
  const timeline = timelineOf(startMs);
  const trace = traceOf(() => timeline.ms, isTraced);
  const processes = processesOf(timeline, random, rates, trace);
  const isCrowded = seed % CROWDED === 0;
  const stageSlots = isCrowded || random.chance(0.8) ? random.whole(2, isCrowded ? 5 : 10) : random.whole(20, 80);
  const spend = random.chance(0.2) ? random.whole(3, 30) * HOLD : undefined;
  const stage = { slots: stageSlotsOf(timeline, seed, stageSlots), spend };
  const crmLeads = crmLeadsOf(() => timeline.date().toISOString());
  const oracles = oraclesOf(timeline, rates, stage, crmLeads);
  const parts = { timeline, random, rates, processes, onPoison: (text: string) => oracles.fail('drained', text, []) };

  const outages = Array.from({ length: random.whole(0, 2) }, () => startMs + random.whole(0, 90) * MINUTE_MS);
  const isDown = (minutes: number) =>
    outages.some((from) => timeline.ms >= from && timeline.ms < from + minutes * MINUTE_MS);
  const { voice, secondCalls } = platformOf(parts, stageSlots, {
    report: (...message) => service.report(...message),
    onRing: (record) => {
      trace.note('platform', () => `${record.id} of ${record.callId} rings`);
      oracles.onRing(record);
    },
    onDialed: oracles.onDialed,
    isDown: () => isDown(6),
  });
  const crm = (connectionId: string, leadId: string): LeadReading =>
    isDown(20) ? { kind: 'unavailable', reason: 'down' } : { kind: 'found', lead: crmLeads.read(connectionId, leadId) };
  const remote = remoteOf(parts, oracles.fail, () => isDown(20));
  const service = serviceOf(parts, { voice, crm, remote }, stage, oracles);
  const traffic = trafficOf(parts, service, { requests, crmLeads, isCrowded });
  const sweep = sweepOf(parts, service, { leads: traffic.leads, isDown: () => isDown(20) });
  traffic.begin();
  sweep.begin();

  const entriesOf = () => service.tables.all('activity') as unknown as ActivityEntry[];
  let lacking: ActivityEntry[] | undefined;
  let isDrained = false;
  let phaseMs = startMs;
  const watch = () => {
    oracles.onMinute();
    const { size: left } = oracles.calls.unfinished;
    const backlog = service.backlog();
    const isIdle = traffic.isOver() && sweep.isOver() && left + backlog + processes.counts.running === 0;
    isDrained = isIdle && lacking !== undefined;
    if (isIdle && !lacking) {
      lacking = givenUp(entriesOf(), oracles.delayed);
      phaseMs = timeline.ms;
      traffic.settle();
    }
    if (timeline.ms - phaseMs > MAX_PHASE_MS)
      oracles.fail(
        'drained',
        `${left} calls and ${backlog} messages are left`,
        [...oracles.calls.unfinished.keys()].slice(0, 1),
      );
    timeline.after(MINUTE_MS, watch);
  };
  watch();
  await timeline.run(() => isDrained || oracles.violation !== undefined);
  if (!oracles.violation) {
    const { promised } = traffic;
    const { records } = remote;
    const claims = service.tables.all('claims').filter(({ claim }) => /^(lead|phone)#/.test(String(claim)));
    oracles.checkEnd({ claims, entries: entriesOf(), lacking: lacking ?? [], promised, records, secondCalls });
  }

  const { violation } = oracles;
  return {
    seed,
    calls: oracles.calls.created,
    rings: oracles.rings.rings,
    delayed: oracles.delayed.size,
    crashes: processes.counts.died,
    errors: processes.counts.failed,
    redriven: service.redriven(),
    dialMessages: Math.max(0, ...oracles.dialMessages.values()),
    hours: (timeline.ms - startMs) / (60 * MINUTE_MS),
    failureLevel: rates.failureLevel,
    violation,
    steps: violation ? [...trace.lines(80, violation.about), '…', ...trace.lines(15)] : [],
  };
}

/**
 * Returns the entries that lacked credit, or expired after a delay by a daily spend limit, and were not retried since.
 */
function givenUp(entries: readonly ActivityEntry[], delayed: ReadonlySet<string>): ActivityEntry[] {
  const ids = new Set(entries.map(({ connection_id, event_id }) => `${connection_id} ${event_id}`));
  return entries.filter(({ connection_id, event_id, outcome, call_id = '' }) => {
    const [origin, number = '0'] = event_id.split('.retry.');
    const isRetried = ids.has(`${connection_id} ${origin}.retry.${Number(number) + 1}`);
    const isGivenUp = outcome === 'insufficient_credits' || (outcome === 'expired' && delayed.has(call_id));
    return isGivenUp && !isRetried;
  });
}
