import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isTerminal } from '../../../../shared/domain/calls/call-status.ts';
import type { Claim } from '../../../../shared/domain/calls/claim.ts';
import { isScheduled } from '../../../../shared/domain/calls/scheduled-call.ts';
import { istDay } from '../../../../shared/domain/time/ist-day.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { releaseOf } from '../../../../shared/messages/lead-release.ts';
import { endCall } from '../../../../shared/operations/calls/steps/end-call.ts';
import { anAssistant, anOrg, ist, MONDAY } from '../../support/items.ts';
import {
  aCallingConnection,
  CONNECTION,
  expectBooks,
  found,
  HOLD,
  type LeadWorld,
  leadWorld,
  namedOnly,
} from '../../support/lead-world.ts';

const SECOND_MS = 1000;
const leads = ['1001', '1002', '1003'];
const phones = ['98765 43210', '98123 45678', '98989 89898'];
const windows = [
  { call_window_start: '09:00', call_window_end: '21:00' },
  { call_window_start: '09:00', call_window_end: '10:00', exclude_sunday: true },
  { call_window_start: '22:00', call_window_end: '06:00' },
  { call_window_start: '14:00', call_window_end: '15:30' },
  {},
];

/** One event in a life. `which` selects one of the calls or messages that exist at that time. */
type Step =
  | { kind: 'wait'; minutes: number }
  | { kind: 'edit'; lead: number; sunday: boolean }
  | { kind: 'settings'; window: number; auto_call: boolean; connected: boolean }
  | { kind: 'stream'; which: number }
  | { kind: 'phone'; lead: number; phone: number }
  | { kind: 'crm'; answers: boolean }
  | { kind: 'credit'; units: number }
  | { kind: 'redeliver'; which: number }
  | { kind: 'release'; which: number }
  | { kind: 'old release'; which: number }
  | { kind: 'dial'; which: number; accepted: boolean }
  | { kind: 'end'; which: number }
  | { kind: 'cancel'; which: number }
  | { kind: 'retry' };

const which = fc.nat(9);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 900 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('edit' as const), lead: fc.nat(2), sunday: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settings' as const),
      window: fc.nat(windows.length - 1),
      auto_call: fc.constantFrom(true, true, true, false),
      connected: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stream' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('phone' as const), lead: fc.nat(2), phone: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crm' as const), answers: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('credit' as const), units: fc.constantFrom(0, HOLD, 5 * HOLD) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redeliver' as const), which }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('release' as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('old release' as const), which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('dial' as const), which, accepted: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'retry' as const }) },
);

type Life = ReturnType<typeof aLife>;

/** A world with three leads and all messages that were sent so far. */
function aLife(wrap?: Parameters<typeof leadWorld>[1]) {
  const world = leadWorld({ organizations: [anOrg({ available: 5 * HOLD })], assistants: [anAssistant()] }, wrap);
  const phoneOf = new Map(leads.map((lead, index) => [lead, phones[index] ?? '']));
  const state = { isCrmUp: true, credit: 5 * HOLD };
  world.crm = (lead_id) =>
    state.isCrmUp
      ? found({ lead_id, phones: [phoneOf.get(lead_id) ?? ''] })
      : { kind: 'unavailable', reason: 'it is down' };
  const events: LeadEvent[] = [];
  const releases: LeadEvent[] = [];
  const changes: ReturnType<LeadWorld['connectionChange']>[] = [];
  return { world, phoneOf, state, events, releases, changes };
}

/** Runs a step; a step without a fitting call or message does nothing. */
async function take({ world, phoneOf, state, events, releases, changes }: Life, step: Step): Promise<unknown> {
  const pick = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];
  const calls = world.calls();
  switch (step.kind) {
    case 'wait':
      world.now = new Date(Date.parse(world.now) + step.minutes * 60 * SECOND_MS).toISOString();
      return;
    case 'edit': {
      const event = world.event({
        event_id: `evt_${events.length + 1}`,
        lead: namedOnly(leads[step.lead]),
        ...(step.sunday && { source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true }),
      });
      events.push(event);
      return world.process(event);
    }
    case 'settings':
      changes.push(
        world.connectionChange({
          settings: windows[step.window] ?? {},
          auto_call: step.auto_call,
          grant: step.connected ? aCallingConnection().grant : undefined,
        }),
      );
      return;
    case 'stream': {
      const change = pick(changes, step.which);
      return change && world.cancelScheduled(change);
    }
    case 'phone':
      phoneOf.set(leads[step.lead] ?? '', phones[step.phone] ?? '');
      return;
    case 'crm':
      state.isCrmUp = step.answers;
      return;
    case 'credit': {
      const { available, held } = world.credit();
      state.credit += step.units - available;
      world.put('organizations', anOrg({ available: step.units, held }));
      return;
    }
    case 'redeliver': {
      const event = pick([...events, ...world.queued.map(({ message }) => message)], step.which);
      return event && (event.source === 'release' ? world.release(event) : world.process(event));
    }
    case 'release': {
      const call = pick(calls.filter(isScheduled), step.which);
      if (!call) return;
      const message = releaseOf(call);
      releases.push(message);
      if (call.scheduled_for > world.now) world.now = call.scheduled_for;
      return world.release(message);
    }
    case 'old release': {
      const message = pick(releases, step.which);
      return message && world.release(message);
    }
    case 'dial': {
      const call = pick(
        calls.filter(({ status }) => status === 'queued' || status === 'dialing'),
        step.which,
      );
      if (!call) return;
      world.dialing = step.accepted
        ? { kind: 'accepted', platformId: `p_${call.call_id}` }
        : { kind: 'not_dialed', reason: '429', isOperatorFault: false };
      return world.dial(call.lead?.event_id);
    }
    case 'end': {
      const call = pick(
        calls.filter(({ status, platform_id }) => platform_id !== undefined && !isTerminal(status)),
        step.which,
      );
      if (!call?.platform_id) return;
      const seconds = step.which * 60;
      const ending = { status: 'completed', ended_reason: 'x', ended_at: world.now, duration: seconds } as const;
      return endCall(world.deps, call, { ...ending, platformId: call.platform_id });
    }
    case 'cancel': {
      const call = pick(calls, step.which);
      return call && world.cancel(call.lead?.event_id);
    }
    case 'retry': {
      const before = world.queued.length;
      await world.retry('insufficient_credits');
      for (const { message } of world.queued.slice(before)) await world.process(message);
      return world.retry('crm_unavailable');
    }
  }
}

function expectSound({ world, state }: Life): void {
  const calls = world.calls();
  const open = calls.filter(({ status }) => !isTerminal(status));

  expectBooks(world, state.credit);
  expect(world.credit().available).toBeGreaterThanOrEqual(0);
  for (const call of calls) {
    const own = world.ledger().filter(({ call_id }) => call_id === call.call_id);
    expect(own.reduce((so, entry) => so + entry.held, 0)).toBe(isTerminal(call.status) ? 0 : call.held);
    expect(own.filter(({ kind }) => kind === 'hold')).toHaveLength(call.holds ?? 1);
    if (call.status === 'scheduled') expect([call.held, call.slots]).toEqual([0, undefined]);
  }

  // Claims: the owner of each is a call that is open or has rung; an open call owns both of its claims.
  const claims = new Map((world.all('claims') as Claim[]).map((claim) => [claim.claim, claim]));
  const rung = new Set(world.rung.map(({ call_id }) => call_id));
  for (const { claim, call_id, owner_id } of claims.values()) {
    if (claim.startsWith('sunday#')) continue;
    const call = calls.find((one) => one.call_id === call_id);
    expect(call?.lead?.event_id).toBe(owner_id);
    expect(open.includes(call as never) || rung.has(call_id)).toBe(true);
  }
  for (const call of open) {
    const { lead_id, event_id } = call.lead as NonNullable<typeof call.lead>;
    for (const key of [
      `lead#${CONNECTION}#${lead_id}#${call.claims_day}`,
      `phone#${call.org_id}#${call.phone_number}#${call.claims_day}`,
    ])
      expect(claims.get(key)?.owner_id).toBe(event_id);
    if (call.status === 'scheduled') expect(istDay(new Date(call.scheduled_for ?? ''))).toBe(call.claims_day);
  }

  // Rings: a lead and a phone once a day, a call once.
  const ofDay = world.rung.map(({ call_id, phone, at }) => ({
    lead: `${calls.find((call) => call.call_id === call_id)?.lead?.lead_id} ${istDay(new Date(at))}`,
    phone: `${phone} ${istDay(new Date(at))}`,
  }));
  expect(new Set(ofDay.map(({ lead }) => lead)).size).toBe(ofDay.length);
  expect(new Set(ofDay.map(({ phone }) => phone)).size).toBe(ofDay.length);
  expect(rung.size).toBe(world.rung.length);

  // Activity: one entry per decision, although events are delivered twice.
  const ids = world.entries().map(({ event_id }) => event_id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { outcome, call_id } of world.entries())
    if (outcome === 'call queued' || outcome === 'call scheduled')
      expect(calls.some((call) => call.call_id === call_id)).toBe(true);
}

/** Expects that every later ring was within the call window of its call. */
function expectInWindow({ world }: Life, rangBefore: number): void {
  for (const { call_id, at } of world.rung.slice(rangBefore)) {
    const call = world.calls().find((one) => one.call_id === call_id);
    const window = call?.lead?.window;
    if (!window) continue;
    const there = new Date(Date.parse(at) + 5.5 * 3_600_000);
    const time = there.toISOString().slice(11, 16);
    const { start, end, exclude_sunday } = window;
    const isOpen = start < end ? start <= time && time < end : time >= start || time < end;
    expect([at, isOpen && !(exclude_sunday && there.getUTCDay() === 0)]).toEqual([at, true]);
  }
}

describe('the calls of three leads', () => {
  it('have consistent credit, claims, rings and Activity after each step, in any order of events', async () => {
    const met = new Map<string, number>();
    const life = fc.asyncProperty(
      fc.array(steps, { minLength: 5, maxLength: 40 }),
      fc.integer({ min: 0, max: 7 * 24 * 60 }),
      async (life, start) => {
        const lived = aLife();
        lived.world.now = new Date(Date.parse(ist(MONDAY, '00:00')) + start * 60 * SECOND_MS).toISOString();
        for (const step of life) {
          const rangBefore = lived.world.rung.length;
          const word = await take(lived, step);
          if (typeof word === 'string') met.set(`${step.kind}: ${word}`, (met.get(`${step.kind}: ${word}`) ?? 0) + 1);
          expectSound(lived);
          expectInWindow(lived, rangBefore);
        }
      },
    );
    // A fixed seed, so that the outcomes below do not depend on luck.
    await fc.assert(life, { numRuns: 120, seed: 4 });
    for (const word of [
      'edit: call queued',
      'edit: call scheduled',
      'edit: already_called',
      'edit: phone_already_called',
      'edit: insufficient_credits',
      'edit: crm_unavailable_for_now',
      'release: call queued',
      'release: call scheduled',
      'release: auto_call_disabled',
      'release: crm_unavailable_for_now',
      'old release: not_scheduled',
      'dial: accepted',
      'dial: postponed',
      'cancel: canceled',
    ])
      expect([word, (met.get(word) ?? 0) > 0]).toEqual([word, true]);
    // New cases each time.
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
            for (const step of alone) await scheduler.waitFor(take(lived, step));
            await scheduler.waitFor(Promise.all(together.map((step) => take(lived, step))));
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
            const hasDied = await lived.world.dying(cut, () => take(lived, step));
            const event = events[known];
            if (hasDied && event) await lived.world.process(event);
            else if (hasDied) await take(lived, step);
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
