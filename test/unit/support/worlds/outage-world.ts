import { isScheduled } from '../../../../shared/domain/calls/dialing/scheduled-call.ts';
import { offTimesAfter } from '../../../../shared/domain/connections/off-times.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { releaseOf } from '../../../../shared/messages/lead-release.ts';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { checkWatchChannels } from '../../../../shared/operations/connections/check-watch-channels.ts';
import { renewWatchChannels } from '../../../../shared/operations/connections/renew-watch-channels.ts';
import { receiveCrmBNotification } from '../../../../shared/operations/leads/receive-crm-b-notification.ts';
import { sundaySweep } from '../../../../shared/operations/leads/sunday-sweep.ts';
import { randomOf } from '../../../simulation/random.ts';
import { type Answers, flappingCrm, type Notice } from './flapping-crm.ts';
import { aGrant, anOrg, ist } from './items.ts';
import { aCallingConnection, CONNECTION, leadWorld, windowOf } from './lead-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A Friday, so that two midnights and a Sunday follow. */
const FRIDAY = ist('2026-03-06', '10:00');
const SWEEP = Date.parse(ist('2026-03-08', '09:00'));
/** Less than the two days that are caught up on. */
const TROUBLE_MS = 36 * HOUR;
const CALM_MS = 48 * HOUR;

const sweep = { sunday_rnr_retry: 'true', disposition_crm_field: 'Lead_Status', disposition_value: 'No' } as const;
const windows = [{}, {}, windowOf('09:00'), windowOf('10:00', '18:00', true), windowOf('22:00', '06:00')];
const modes = { well: 4, down: 3, throttled: 1, lost: 1 } satisfies Record<Answers, number>;
const lasting = { records: 6, queries: 4, channels: 3, all: 3, grant: 1, auto: 1, lines: 1, queue: 1, retry: 1 };
/** After these, notifications are lost. */
const losses = { lose: 1, silence: 1 };

/**
 * The service and a CRM-B that fails again and again, on one clock.
 * @param hasPeople whether people cancel calls that wait
 * @param isSlow whether CRM-B sends its notifications some time after the change
 */
export function outageWorld(seed: number, { hasPeople = false, isSlow = false } = {}) {
  const random = randomOf(seed);
  const settings = { ...random.pick(windows), ...(random.chance(0.5) && sweep) };
  const world = leadWorld(
    {
      connections: [aCallingConnection({ settings, grant: aGrant({ granted_at: FRIDAY }) })],
      organizations: [anOrg({ available: 1e9 })],
    },
    // Concurrent workers meet in another order each time.
    (send) => async (command) => {
      for (let turns = random.whole(0, 3); turns > 0; turns -= 1) await undefined;
      return send(command as never);
    },
  );
  world.now = FRIDAY;
  const isLossy = random.chance(0.5);
  const crm = flappingCrm(world, random, isLossy, isSlow);
  const { watch, accessTo, leadsChanged, leadsWithDisposition } = crm;
  Object.assign(world.deps, { fetchLead: crm.fetchLead, stageSlots: 100_000 });
  const deps = { ...world.deps, watch, accessTo, leadsChanged, leadsWithDisposition, timeLeftMs: () => 1e6 } as never;
  const state = {
    /** How often a worker dies. */
    deaths: random.pick([0, 0.1, 0.3]),
    hasLines: true,
    /** Whether the channels fall silent soon. */
    isSilencing: false,
    wasOff: false,
  };
  const arm = () => armChannel(deps, CONNECTION);
  return Object.assign(world, {
    random,
    crm,
    state,
    troubles: isLossy ? { ...lasting, ...losses } : lasting,
    changes: [] as { lead: string; at: string }[],
    /** The times in which auto-call was off. */
    offTimes: [] as { from: string; to: string }[],
    /** The calls that people have canceled. */
    canceled: [] as { call_id: string; lead: string; at: string }[],
    people: hasPeople ? randomOf(seed) : undefined,
    arm,
    check: () => checkWatchChannels(deps),
    renew: () => renewWatchChannels(deps),
    sweep: () => sundaySweep(deps),
    run: (event: LeadEvent) => (event.source === 'release' ? world.release(event) : world.process(event)),
    receive: ({ token, ids, sentAt }: Notice) =>
      receiveCrmBNotification(deps, {
        connectionId: CONNECTION,
        open: () => ({ token, read: () => ({ ids, event: 'lead_edited', sentAt, keys: ['ids'] }) }),
      }),
    async consent() {
      const id = `grant-${world.ms}`;
      crm.state.grantId = id;
      const access = { version: 1, token: 'x', expires_at: secondsAfter(FRIDAY, 1e7) };
      const grant = aGrant({ id, granted_at: world.now });
      await world.common.transact({ grant: world.stores.grants.storing(crm.row(), grant, access) });
      await arm();
    },
    async autoCall(auto_call: boolean) {
      if (auto_call === crm.row().auto_call) return;
      state.wasOff ||= !auto_call;
      const off_times = offTimesAfter(crm.row(), auto_call, world.deps.now()) ?? [];
      await world.switchOff(world.connectionChange({ auto_call, off_times }));
      const { from, to } = off_times.at(-1) ?? {};
      if (from && to) this.offTimes.push({ from, to });
    },
  });
}
export type OutageWorld = ReturnType<typeof outageWorld>;

/** Begins one more failure, or ends one. */
async function trouble(world: OutageWorld): Promise<void> {
  const { random, crm, state, leadQueue } = world;
  const mode = random.weighted(modes);
  const kind = random.weighted(world.troubles as typeof lasting & typeof losses);
  switch (kind) {
    case 'all':
      Object.assign(crm.state, { records: mode, queries: mode, channels: mode });
      break;
    case 'grant':
      if (crm.state.grantId === undefined) await world.consent();
      else crm.state.grantId = undefined;
      break;
    case 'auto':
      await world.autoCall(!crm.row().auto_call);
      break;
    case 'lines':
      state.hasLines = !state.hasLines;
      break;
    case 'queue':
      leadQueue.refusal = leadQueue.refusal ? undefined : new Error('the queue refuses');
      break;
    case 'retry':
      if (!leadQueue.refusal) for (const outcome of ['crm_unavailable', 'expired'] as const) await world.retry(outcome);
      break;
    case 'lose':
      crm.loseChannels();
      break;
    case 'silence':
      state.isSilencing = true;
      break;
    default:
      crm.state[kind] = mode;
  }
}

async function endTrouble(world: OutageWorld): Promise<void> {
  Object.assign(world.crm.state, { records: 'well', queries: 'well', channels: 'well' });
  Object.assign(world.state, { hasLines: true, deaths: 0, isSilencing: false });
  world.leadQueue.refusal = undefined;
  await world.autoCall(true);
  if (world.crm.state.grantId !== world.crm.row().grant?.id) await world.consent();
}

/** Silences the channels, unless a notification is under way or has just arrived: such a loss could not be noticed. */
function silenceIfDue({ state, crm, ms }: OutageWorld): void {
  const { last_delivery_at = '', channel } = crm.row();
  const proofs = [last_delivery_at, channel?.armed_at ?? ''].map((at) => Date.parse(at) || 0);
  if (!state.isSilencing || crm.notices.length > 0 || ms <= Math.max(...proofs) + 90_000) return;
  state.isSilencing = false;
  crm.silence();
}

/** The work of one process. `again` is called if it dies or fails; without it, it does not die. */
type Task = { work: () => Promise<unknown>; again?: () => unknown };

async function perform(world: OutageWorld, tasks: Task[]): Promise<void> {
  const { random, state } = world;
  const isConcurrent = random.chance(0.5);
  const open: Promise<unknown>[] = [];
  for (const { work, again } of tasks.sort(() => random.next() - 0.5)) {
    if (again && random.chance(state.deaths)) {
      await Promise.all(open.splice(0));
      const cut = { at: random.whole(1, 12), moment: random.pick(['before', 'after'] as const) };
      if (await world.dying(cut, work).catch(() => true)) again();
      continue;
    }
    const done = work().catch(() => again?.());
    if (isConcurrent) open.push(done);
    else await done;
  }
  await Promise.all(open);
}

/** Dials what waits, and releases scheduled calls when they are due and, as recover-calls does, later. */
async function moveCalls(world: OutageWorld, released: Map<string, number>): Promise<void> {
  for (const call of world.calls()) {
    if (call.status === 'queued' && world.state.hasLines) await world.dial(call.lead?.event_id);
    if (!isScheduled(call) || call.scheduled_for > world.now) continue;
    const key = `${call.call_id} ${call.scheduled_for}`;
    if ((released.get(key) ?? 0) > world.ms) continue;
    released.set(key, world.ms + 20 * MINUTE);
    world.leadQueue.sent.push({ message: releaseOf(call), delay: 0, due: world.ms });
  }
}

/** Lets a person cancel a call that waits. */
async function cancelOne(world: OutageWorld): Promise<void> {
  if (!world.people?.chance(0.01)) return;
  for (const { call_id, status, lead } of world.calls())
    if (lead && /queued|scheduled/.test(status) && (await world.cancel(lead.event_id)) === 'canceled')
      world.canceled.push({ call_id, lead: lead.lead_id, at: world.now });
}

/** Lives through a day and a half of trouble, and two days without. */
export async function liveThrough(world: OutageWorld): Promise<void> {
  const { random, crm, leadQueue } = world;
  const begin = world.ms;
  const calm = begin + TROUBLE_MS;
  const leads = Array.from({ length: random.whole(1, 6) }, (_, index) => String(1001 + index));
  const [pace, rate] = [random.pick([20, 60, 180]), random.pick([20, 60, 240])];
  const later = (most: number) => random.whole(1, most) * MINUTE;
  const nothing = () => undefined;
  const jobs = [
    { next: begin + later(15), every: 15 * MINUTE, run: world.check },
    { next: begin + later(360), every: 360 * MINUTE, run: world.renew },
    { next: SWEEP, every: Number.POSITIVE_INFINITY, run: world.sweep },
  ];
  const next = { trouble: begin + later(pace), change: begin + later(30), calm };
  const released = new Map<string, number>();
  const deliver = (message: LeadEvent, minutes: number) =>
    leadQueue.sent.push({ message, delay: 0, due: world.ms + minutes * MINUTE });
  await world.arm();
  for (let at = begin; at < calm + CALM_MS; at += MINUTE) {
    if (world.ms < at) world.pass((at - world.ms) / 1000);
    if (at >= next.calm) {
      Object.assign(next, { trouble: Number.POSITIVE_INFINITY, change: Number.POSITIVE_INFINITY, calm: at * 2 });
      await endTrouble(world);
    }
    if (at >= next.trouble) {
      next.trouble = at + later(2 * pace);
      await trouble(world);
    }
    silenceIfDue(world);
    await cancelOne(world);
    if (at >= next.change) {
      next.change = at + later(2 * rate);
      const lead = random.pick(leads);
      world.changes.push({ lead, at: world.now });
      crm.change(lead);
    }
    // CRM-B does not repeat a notification whose worker dies.
    const tasks: Task[] = crm.arrived(at).map((notice) => ({ work: () => world.receive(notice) }));
    for (const job of jobs.filter((one) => one.next <= at)) {
      job.next += job.every;
      tasks.push({ work: job.run, again: nothing });
    }
    for (const event of leadQueue.due()) {
      if (random.chance(0.03)) deliver(event, random.whole(0, 60));
      if (random.chance(0.03)) deliver(event, random.whole(1, 10));
      else tasks.push({ work: () => world.run(event), again: () => deliver(event, 3) });
    }
    if (tasks.length > 0) await perform(world, tasks);
    if (tasks.length > 0 || at % (5 * MINUTE) === 0) await moveCalls(world, released);
  }
}
