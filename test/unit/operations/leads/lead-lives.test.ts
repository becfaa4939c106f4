import fc from 'fast-check';
import { isTerminal } from '../../../../shared/domain/calls/call-status.ts';
import type { Claim } from '../../../../shared/domain/calls/dialing/claim.ts';
import { isScheduled } from '../../../../shared/domain/calls/dialing/scheduled-call.ts';
import { istDay } from '../../../../shared/domain/time/ist-day.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { releaseOf } from '../../../../shared/messages/lead-release.ts';
import { endCall } from '../../../../shared/operations/calls/steps/end-call.ts';
import { anOrg, ist, MONDAY } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  claimsOf,
  expectBooks,
  found,
  HOLD,
  type LeadWorld,
  leadWorld,
  namedOnly,
  unavailable,
  windowOf,
} from '../../support/worlds/lead-world.ts';

const leads = ['1001', '1002', '1003'];
const phones = ['98765 43210', '98123 45678', '98989 89898'];
const windows = [
  windowOf('09:00'),
  windowOf('09:00', '10:00', true),
  windowOf('22:00', '06:00'),
  windowOf('14:00', '15:30'),
  {},
];

/** Three leads and all messages that were sent so far. */
function aLife(wrap?: Parameters<typeof leadWorld>[1]) {
  const world = leadWorld({ organizations: [anOrg({ available: 5 * HOLD })] }, wrap);
  const phoneOf = new Map(leads.map((lead, index) => [lead, phones[index] ?? '']));
  const state = { isCrmUp: true, credit: 5 * HOLD };
  world.crm = (lead_id) =>
    state.isCrmUp ? found({ lead_id, phones: [phoneOf.get(lead_id) ?? ''] }) : unavailable('it is down');
  const events: LeadEvent[] = [];
  const releases: LeadEvent[] = [];
  const changes: ReturnType<LeadWorld['connectionChange']>[] = [];
  return { world, phoneOf, state, events, releases, changes };
}
type Life = ReturnType<typeof aLife>;

/** A possible event in a life, with its frequency and its random values. A no-op without a suitable call. */
const step = <Values>(
  kind: string,
  weight: number,
  values: fc.Arbitrary<Values>,
  run: (life: Life, values: Values) => unknown,
) => ({ weight, arbitrary: values.map((given) => ({ kind, given, run: (life: Life) => run(life, given) })) });
/** Selects one of the calls or messages that exist at that time. */
const which = fc.nat(9);
const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];
const mostly = fc.constantFrom(true, true, true, false);

const steps = fc.oneof(
  step('wait', 5, fc.integer({ min: 1, max: 900 }), ({ world }, minutes) => world.pass(minutes * 60)),
  step('edit', 5, fc.tuple(fc.constantFrom(...leads), fc.boolean()), ({ world, events }, [lead, isSunday]) => {
    const sunday = { source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true } as const;
    const event_id = `evt_${events.length + 1}`;
    const event = world.event({ event_id, lead: namedOnly(lead), ...(isSunday && sunday) });
    events.push(event);
    return world.process(event);
  }),
  step(
    'settings',
    2,
    fc.tuple(fc.constantFrom(...windows), mostly, mostly),
    ({ world, changes }, [settings, auto_call, isConnected]) => {
      const grant = isConnected ? aCallingConnection().grant : undefined;
      changes.push(world.connectionChange({ settings, auto_call, grant }));
    },
  ),
  step('stream', 2, which, ({ world, changes }, index) => {
    const change = pick(changes, index);
    return change && world.switchOff(change);
  }),
  step('phone', 1, fc.tuple(fc.constantFrom(...leads), fc.constantFrom(...phones)), ({ phoneOf }, [lead, phone]) => {
    phoneOf.set(lead, phone);
  }),
  step('crm', 1, fc.boolean(), ({ state }, isCrmUp) => {
    state.isCrmUp = isCrmUp;
  }),
  step('credit', 1, fc.constantFrom(0, HOLD, 5 * HOLD), ({ world, state }, units) => {
    const { available, held } = world.credit();
    state.credit += units - available;
    world.put('organizations', anOrg({ available: units, held }));
  }),
  step('redeliver', 2, which, ({ world, events }, index) => {
    const event = pick([...events, ...world.queued.map(({ message }) => message)], index);
    return event && (event.source === 'release' ? world.release(event) : world.process(event));
  }),
  step('release', 6, which, ({ world, releases }, index) => {
    const call = pick(world.calls().filter(isScheduled), index);
    if (!call) return;
    const message = releaseOf(call);
    releases.push(message);
    if (call.scheduled_for > world.now) world.now = call.scheduled_for;
    return world.release(message);
  }),
  step('old release', 2, which, ({ world, releases }, index) => {
    const message = pick(releases, index);
    return message && world.release(message);
  }),
  step('dial', 4, fc.tuple(which, fc.boolean()), ({ world }, [index, isAccepted]) => {
    const open = world.calls().filter(({ status }) => status === 'queued' || status === 'dialing');
    const call = pick(open, index);
    if (!call) return;
    world.dialing = isAccepted
      ? { kind: 'accepted', platformId: `p_${call.call_id}` }
      : { kind: 'not_dialed', reason: '429', isOperatorFault: false };
    return world.dial(call.lead?.event_id);
  }),
  step('end', 2, which, ({ world }, index) => {
    const dialed = world.calls().filter(({ status, platform_id }) => platform_id !== undefined && !isTerminal(status));
    const call = pick(dialed, index);
    if (!call?.platform_id) return;
    const end = { status: 'completed', ended_reason: 'x', ended_at: world.now, duration: index * 60 } as const;
    return endCall(world.deps, call, { ...end, platformId: call.platform_id });
  }),
  step('cancel', 1, which, ({ world }, index) => {
    const call = pick(world.calls(), index);
    return call && world.cancel(call.lead?.event_id);
  }),
  step('retry', 1, fc.constant(undefined), async ({ world }) => {
    const before = world.queued.length;
    await world.retry('insufficient_credits');
    await world.retry('expired');
    for (const { message } of world.queued.slice(before)) await world.process(message);
    return world.retry('crm_unavailable');
  }),
);

function expectSound({ world, state }: Life): void {
  const [calls, ledger, entries] = [world.calls(), world.ledger(), world.entries()];
  const callOf = new Map(calls.map((call) => [call.call_id, call]));
  const open = calls.filter(({ status }) => !isTerminal(status));

  // Credit: the ledger has the holds of each call, and a scheduled call holds nothing.
  expectBooks(world, state.credit);
  expect(world.credit().available).toBeGreaterThanOrEqual(0);
  const booked = calls.map(({ call_id }) => {
    const own = ledger.filter((entry) => entry.call_id === call_id);
    const held = own.reduce((sum, entry) => sum + entry.held, 0);
    return { call_id, held, holds: own.filter(({ kind }) => kind === 'hold').length };
  });
  expect(booked).toEqual(
    calls.map(({ call_id, status, held, holds = 1 }) => ({ call_id, held: isTerminal(status) ? 0 : held, holds })),
  );
  const scheduled = calls.filter(({ status }) => status === 'scheduled');
  const busy = scheduled.filter(({ held, slots }) => held > 0 || slots);

  // Claims: the owner of each is a call that is open or has rung; an open call owns both of its claims.
  const claims = (world.all('claims') as Claim[]).filter(({ claim }) => !/^(sunday|canceled)#/.test(claim));
  const rung = new Set(world.rung.map(({ call_id }) => call_id));
  const isOwned = ({ call_id, owner_id }: Claim) => {
    const call = callOf.get(call_id);
    return call?.lead?.event_id === owner_id && (!isTerminal(call.status) || rung.has(call_id));
  };
  const orphans = claims.filter((claim) => !isOwned(claim));
  const needed = open.flatMap(({ claims_day = '', phone_number, lead }) =>
    claimsOf(claims_day, phone_number, lead?.event_id, lead?.lead_id),
  );
  const owned = new Set(world.claims());
  const missing = needed.filter((claim) => !owned.has(claim));
  const days = scheduled.map(({ scheduled_for = '' }) => istDay(new Date(scheduled_for)));
  const otherDays = scheduled.filter(({ claims_day }, index) => claims_day !== days[index]);

  // Rings: a lead and a phone once a day, a call once.
  const rings = world.rung.flatMap(({ call_id, phone, at }) => {
    const day = istDay(new Date(at));
    return [call_id, `${phone} ${day}`, `${callOf.get(call_id)?.lead?.lead_id} ${day}`];
  });
  const rungTwice = rings.filter((ring, index) => rings.indexOf(ring) < index);

  // Activity: one entry per decision, although events are delivered twice.
  const ids = entries.map(({ event_id }) => event_id);
  const enteredTwice = ids.filter((id, index) => ids.indexOf(id) < index);
  const placed = entries.filter(({ outcome }) => outcome === 'call queued' || outcome === 'call scheduled');
  const unknown = placed.filter(({ call_id = '' }) => !callOf.has(call_id));

  // One expectation, because each is slow.
  const none = { busy: [], orphans: [], missing: [], otherDays: [], rungTwice: [], enteredTwice: [], unknown: [] };
  expect({ busy, orphans, missing, otherDays, rungTwice, enteredTwice, unknown }).toEqual(none);
}

/** Expects that every later ring was within the call window of its call. */
function expectInWindow({ world }: Life, rangBefore: number): void {
  const isInWindow = ({ call_id, at }: (typeof world.rung)[number]) => {
    const window = world.callOf(call_id).lead?.window;
    if (!window) return true;
    const there = new Date(Date.parse(at) + 5.5 * 3_600_000);
    const time = there.toISOString().slice(11, 16);
    const { start, end, exclude_sunday } = window;
    const isOpen = start < end ? start <= time && time < end : time >= start || time < end;
    return isOpen && !(exclude_sunday && there.getUTCDay() === 0);
  };
  expect(world.rung.slice(rangBefore).filter((ring) => !isInWindow(ring))).toEqual([]);
}

describe('the calls of three leads', () => {
  it('have consistent credit, claims, rings and Activity after each step, in any order of events', async () => {
    const met = new Set<string>();
    const life = fc.asyncProperty(
      fc.array(steps, { minLength: 5, maxLength: 40 }),
      fc.integer({ min: 0, max: 7 * 24 * 60 }),
      async (life, startMinute) => {
        const lived = aLife();
        lived.world.now = ist(MONDAY, '00:00');
        lived.world.pass(startMinute * 60);
        for (const step of life) {
          const rangBefore = lived.world.rung.length;
          met.add(`${step.kind}: ${await step.run(lived)}`);
          expectSound(lived);
          expectInWindow(lived, rangBefore);
        }
      },
    );
    // A fixed seed, so that the outcomes below do not depend on luck.
    await fc.assert(life, { numRuns: 120, seed: 4 });
    const edits = ['call queued', 'call scheduled', 'already_called', 'phone_already_called', 'insufficient_credits'];
    const releases = ['call queued', 'call scheduled', 'auto_call_disabled', 'crm_unavailable_for_now'];
    const others = ['old release: not_scheduled', 'dial: accepted', 'dial: postponed', 'cancel: canceled'];
    const needed = [...edits.map((result) => `edit: ${result}`), ...releases.map((result) => `release: ${result}`)];
    expect([...met]).toEqual(expect.arrayContaining([...needed, ...others, 'edit: crm_unavailable_for_now']));
    // Random cases in each run.
    await fc.assert(life, { numRuns: 60 });
  });

  it('are consistent if several events happen at once, in any order of database answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(steps, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 8 }),
        fc.scheduler(),
        fc.constantFrom('08:59', '09:00', '20:59', '21:00', '23:59', '12:00'),
        async (rounds, scheduler, time) => {
          const lived = aLife((send) => scheduler.scheduleFunction(send));
          lived.world.now = ist(MONDAY, time);
          for (const round of rounds) {
            // The test itself writes the clock and the credit, so it changes them only between the rounds.
            const alone = round.filter((step) => ['wait', 'credit', 'release', 'settings'].includes(step.kind));
            const together = round.filter((step) => !alone.includes(step));
            for (const step of alone) await scheduler.waitFor(Promise.resolve(step.run(lived)));
            await scheduler.waitFor(Promise.all(together.map((step) => step.run(lived))));
            expectSound(lived);
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  it('are consistent and lose no event if workers die at any request and their messages are redelivered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(steps, fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }), fc.boolean()), {
          minLength: 3,
          maxLength: 25,
        }),
        fc.constantFrom('08:00', '12:00', '20:30', '22:00'),
        async (life, time) => {
          const lived = aLife();
          lived.world.now = ist(MONDAY, time);
          for (const [step, deadly, isAfter] of life) {
            const { events } = lived;
            const known = events.length;
            const cut = { at: deadly ?? Number.POSITIVE_INFINITY, moment: isAfter ? 'after' : 'before' } as const;
            const hasDied = await lived.world.dying(cut, async () => step.run(lived));
            const event = events[known];
            if (hasDied && event) await lived.world.process(event);
            else if (hasDied) await step.run(lived);
            expectSound(lived);
          }
          const decided = new Set(lived.world.entries().map(({ event_id }) => event_id));
          const waiting = new Set(lived.world.queued.map(({ message }) => message.event_id));
          for (const { event_id } of lived.events) expect(decided.has(event_id) || waiting.has(event_id)).toBe(true);
        },
      ),
      { numRuns: 80 },
    );
  });
});
