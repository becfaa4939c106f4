import fc from 'fast-check';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { leadClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import type { ScheduledCall } from '../../../../shared/domain/calls/dialing/scheduled-call.ts';
import { sundayClaimCutoff, sundayClaimKey } from '../../../../shared/domain/calls/dialing/sunday-claim.ts';
import { callIdForLead, connectionIdFor, newEventId } from '../../../../shared/domain/ids.ts';
import { crmRetryDelay } from '../../../../shared/domain/leads/crm-retry.ts';
import { releaseMinute, releaseSuffix } from '../../../../shared/domain/leads/release.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { releaseOf } from '../../../../shared/messages/lead-release.ts';
import { scheduleRelease } from '../../../../shared/operations/leads/schedule-release.ts';
import { forAll } from '../../../support/values/for-all.ts';
import { aCall, aCalledLead } from '../../support/call.ts';

const FOR = '2026-03-03T03:30:00.000Z';
const lead = aCalledLead({ owner_id: 'owner-1', fields: { First_Name: 'Asha' } });
const scheduled = (over: Partial<ScheduledCall> = {}) =>
  ({
    ...aCall({ unfinished: 'scheduled', held: 0, holds: 0 }),
    status: 'scheduled',
    scheduled_for: FOR,
    lead,
    ...over,
  }) as ScheduledCall;

const minutes = fc.nat(40 * 365 * 24 * 60).map((minute) => secondsAfter('2026-01-01T00:00:00.000Z', minute * 60));

/** Schedules the release of a call. @returns the result with every schedule and every message that was created */
async function release(call: Call | undefined, now: string) {
  const schedules: [at: string, name: string][] = [];
  const messages: [eventId: string, delay: number | undefined][] = [];
  const deps = {
    calls: { get: async () => call },
    releaseAt: async (at: Date, name: string) => void schedules.push([at.toISOString(), name]),
    leadQueue: { send: async ({ event_id }: LeadEvent, delay?: number) => void messages.push([event_id, delay]) },
    now: () => new Date(now),
  };
  return { result: await scheduleRelease(deps, 'call_1'), schedules, messages };
}

describe('the name of a release', () => {
  it('is the scheduled minute in digits and differs for every minute', () => {
    expect(releaseMinute(FOR)).toBe('202603030330');
    expect(releaseSuffix(FOR)).toBe('release.202603030330');
    forAll([minutes, minutes], (one, other) => {
      expect(releaseMinute(one)).toMatch(/^\d{12}$/);
      expect(releaseMinute(one) === releaseMinute(other)).toBe(one === other);
    });
  });

  it('is accepted by EventBridge Scheduler together with the id of any call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), minutes, async (org, event, scheduled_for) => {
        const call_id = callIdForLead(connectionIdFor(org, 'crm-b'), event);
        const name = `${call_id}-${releaseMinute(scheduled_for)}`;
        expect(name).toMatch(/^[0-9a-zA-Z\-_.]{1,64}$/); // EventBridge Scheduler, CreateSchedule, Name
        expect(await release(scheduled({ call_id, scheduled_for }), '2025-01-01T00:00:00.000Z')).toEqual({
          result: 'release_scheduled',
          schedules: [[scheduled_for, name]],
          messages: [],
        });
      }),
    );
  });
});

describe('the message of a release', () => {
  it("repeats the original event at the scheduled time and contains only the lead's id", () => {
    expect(releaseOf(scheduled())).toEqual({
      event_id: 'evt_1.release.202603030330',
      original_event_id: 'evt_1',
      connection_id: 'conn_1',
      source: 'release',
      event: 'new_lead',
      test: false,
      at: FOR,
      scheduled_for: FOR,
      lead: { lead_id: lead.lead_id, phones: [], do_not_call: false, fields: {} },
      payload_keys: [],
    });
  });

  it('contains all of a test lead, which does not exist in the CRM', () => {
    const call = scheduled({ lead: { ...lead, test: true, event: 'test' } });
    expect(releaseOf(call)).toMatchObject({
      test: true,
      event: 'test',
      lead: { phones: [call.phone_number], owner_id: 'owner-1', fields: lead.fields },
    });
  });

  it('belongs to the Sunday sweep if the call does', () => {
    expect(releaseOf(scheduled())).not.toHaveProperty('sunday_rnr_retry');
    const ofSweep = scheduled({ request_metadata: { sunday_rnr_retry: 'true' } });
    expect(releaseOf(ofSweep)).toMatchObject({ sunday_rnr_retry: true });
  });

  it('can be read from the queue with the id of any event', () => {
    forAll([fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), minutes], (at, time) => {
      const message = releaseOf(scheduled({ scheduled_for: time, lead: { ...lead, event_id: newEventId(at) } }));
      expect(leadEvent.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
    });
  });
});

describe('a call that waits for its window', () => {
  it('gets its release message at once if its time is past or less than a minute away, because the scheduler rejects past times', async () => {
    const { event_id } = releaseOf(scheduled());
    for (const [early, delay] of [
      [-3_600, 0],
      [59, 59],
    ] as const)
      expect(await release(scheduled(), secondsAfter(FOR, -early))).toEqual({
        result: 'release_sent',
        schedules: [],
        messages: [[event_id, delay]],
      });
    expect(await release(scheduled(), secondsAfter(FOR, -60))).toMatchObject({ result: 'release_scheduled' });
  });

  it('is the only kind of call that gets a schedule', async () => {
    const none = { result: 'not_scheduled', schedules: [], messages: [] };
    for (const call of [
      undefined,
      aCall({ lead, scheduled_for: FOR }),
      { ...scheduled(), status: 'canceled' as const },
    ])
      expect(await release(call, '2025-01-01T00:00:00.000Z')).toEqual(none);
  });
});

describe('an unavailable CRM', () => {
  it('is requested again for half an hour, with growing delays that SQS supports', () => {
    const waits: number[] = [];
    for (let tries = 1; crmRetryDelay(tries) !== undefined; tries += 1) waits.push(crmRetryDelay(tries) as number);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(new Set(waits).size).toBe(waits.length);
    expect(waits.at(-1)).toBeLessThanOrEqual(900); // SQS, DelaySeconds
    const together = waits.reduce((sum, wait) => sum + wait, 0);
    expect(together).toBeGreaterThanOrEqual(30 * 60);
    expect(together).toBeLessThan(32 * 60);
  });
});

describe('the claim of the Sunday sweep', () => {
  it('is valid for 20 hours', () => {
    expect(sundayClaimCutoff(new Date('2026-03-08T23:30:00.000Z'))).toBe('2026-03-08T03:30:00.000Z');
  });

  it('differs for every connection and lead, and from the claims of a day', () => {
    const keys = [sundayClaimKey('conn_1', '1'), sundayClaimKey('conn_1', '2'), sundayClaimKey('conn_2', '1')];
    expect(new Set([...keys, leadClaimKey('conn_1', '1', '2026-03-08')]).size).toBe(4);
  });
});
