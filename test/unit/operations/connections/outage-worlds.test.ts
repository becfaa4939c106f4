import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { istDay } from '../../../../shared/domain/time/ist-day.ts';
import { liveThrough, type OutageWorld, outageWorld } from '../../support/worlds/outage-world.ts';

const dayOf = (at: string, seconds = 0) => istDay(new Date(secondsAfter(at, seconds)));
/** Calls in the two hours before a change may have caused it, and so count on their whole day. */
const OWN_WRITES = -2 * 3600;
const HOUR_MS = 3_600_000;
/** A catch-up closes the breaker every 15 minutes if only queries are answered. A lead alone opens no breaker. */
const MOST_FAILURES = 100;

/** CRM-B's clock differs from ours by less than this, in seconds. */
const SKEW = 21;

type Ring = {
  lead: string;
  at: string;
  isSweep: boolean;
  isRetry: boolean;
  call_id: string;
  created_at: string;
  source: string;
  isNew: boolean;
};

function ringsOf(world: OutageWorld): Ring[] {
  const calls = new Map(world.calls().map((call) => [call.call_id, call]));
  return world.rung.map(({ call_id, at }) => {
    const call = calls.get(call_id);
    const isSweep = call?.request_metadata.sunday_rnr_retry === 'true';
    const { created_at = at, placed_by } = call ?? {};
    const source = placed_by?.kind === 'lead' ? String(placed_by.source) : '';
    return {
      lead: call?.lead?.lead_id ?? '',
      at,
      isSweep,
      isRetry: source === 'retry',
      call_id,
      created_at,
      source,
      isNew: call?.lead?.event === 'new_lead',
    };
  });
}

/** Returns whether Activity says why the lead was not called after a change, and an alarm rang if it should. */
function isExplained({ state, counted, ...world }: OutageWorld, lead: string, change: string): boolean {
  const since = world.entries().filter(({ lead_id, at }) => lead_id === lead && at >= secondsAfter(change, -60));
  return since.some(({ source, outcome, reason }) => {
    if (outcome === 'auto_call_disabled') return state.wasOff;
    const isGivenUp = outcome === 'crm_unavailable' && (source === 'dial' || /not requested again/.test(reason));
    return (isGivenUp || outcome === 'expired') && counted.includes('LeadGivenUp');
  });
}

/** Returns whether a call rang that a person had canceled, or a later call without a later change of its lead. */
function isCanceled({ canceled, changes }: OutageWorld, { lead, at, call_id, created_at, ...ring }: Ring): boolean {
  if (canceled.some((one) => one.call_id === call_id)) return true;
  const last = canceled.findLast((one) => one.lead === lead && one.at <= created_at);
  if (!last || ring.isSweep || ring.isRetry) return false;
  return !changes.some((one) => one.lead === lead && one.at > secondsAfter(last.at, -SKEW) && one.at <= at);
}

/** Returns whether a catch-up called a lead for a change at which auto-call was off, and is on again. */
function wasOff(world: OutageWorld, { lead, created_at, source, isNew }: Ring): boolean {
  const known = world.changes.filter((one) => one.lead === lead && one.at <= secondsAfter(created_at, SKEW));
  // A lead that was created while it was on should have been called then.
  const counted = [known.at(-1), ...(isNew ? known.slice(0, 1) : [])].flatMap((change) => change ?? []);
  if (source !== 'catch-up' || counted.length === 0) return false;
  return counted.every(({ at }) =>
    world.offTimes.some(({ from, to }) => at > secondsAfter(from, 60 + SKEW) && at < secondsAfter(to, -60 - SKEW)),
  );
}

function faultsOf(world: OutageWorld): string[] {
  const rings = ringsOf(world);
  const lost = world.changes.filter(
    ({ lead, at }) =>
      !rings.some((ring) => ring.lead === lead && (ring.at >= at || dayOf(ring.at) >= dayOf(at, OWN_WRITES))) &&
      !world.canceled.some((one) => one.lead === lead && secondsAfter(one.at, SKEW) >= at) &&
      !isExplained(world, lead, at),
  );
  const twice = rings.filter((ring, index) => {
    const former = rings.slice(0, index).findLast(({ lead }) => lead === ring.lead);
    if (!former) return false;
    const isNew = world.changes.some(({ lead, at }) => lead === ring.lead && at > former.at && at <= ring.at);
    return dayOf(former.at) === dayOf(ring.at) || !(isNew || ring.isSweep || former.isSweep);
  });
  const { failures, leads } = world.crm;
  const isCrowd = leads.size > 1;
  const most = Math.max(0, ...failures.map((at) => failures.filter((one) => one >= at && one < at + HOUR_MS).length));
  return [
    ...lost.map(({ lead, at }) => `the change of lead ${lead} at ${at} was lost`),
    ...rings.filter((ring) => isCanceled(world, ring)).map(({ lead, at }) => `canceled lead ${lead} rang at ${at}`),
    ...rings.filter((ring) => wasOff(world, ring)).map(({ lead, at }) => `lead ${lead} of an off time rang at ${at}`),
    ...twice.map(({ lead, at }) => `lead ${lead} was called again at ${at}`),
    ...(most > MOST_FAILURES && isCrowd ? [`${most} requests for leads failed in an hour`] : []),
    ...(world.crm.row().catch_up_from === undefined ? [] : ['the gap was not closed']),
    ...world.leadQueue.sent.map(({ message }) => `the message ${message.event_id} was left`),
    ...world
      .calls()
      .flatMap(({ call_id, status }) => (/queued|scheduled/.test(status) ? [`${call_id} ${status}`] : [])),
  ];
}

/** Some of these seeds have revealed lost leads and second calls. More than 2,000 others revealed no further fault. */
const SEEDS = [2, 9, 22, 41, 46, 49, 81, 107];

it.each(SEEDS)(
  'an outage loses no changed lead: each is called once, or Activity says why not: world %d',
  async (seed) => {
    const world = outageWorld(seed);
    await liveThrough(world);
    expect(faultsOf(world)).toEqual([]);
  },
);

/** In these worlds, a catch-up or a late message once called a lead again whose call a person had canceled. */
const CANCELED_SEEDS = [41, 50, 54];

it('a canceled call is not made again for an earlier change whose notification is sent after the cancelation', async () => {
  const world = outageWorld(1066, { hasPeople: true, isSlow: true });
  await liveThrough(world);
  expect(faultsOf(world)).toEqual([]);
});

it.each(CANCELED_SEEDS)(
  'a lead whose call a person has canceled is not called again without a later change: world %d',
  async (seed) => {
    const world = outageWorld(seed, { hasPeople: true });
    await liveThrough(world);
    expect(faultsOf(world)).toEqual([]);
  },
);
