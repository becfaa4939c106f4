import fc from 'fast-check';
import { callSchema, isWaiting } from '../../../../../shared/domain/calls/call.ts';
import { DEFAULT_WAIT_MINUTES, LEAD_WAIT_MINUTES } from '../../../../../shared/domain/calls/dialing/dial-timing.ts';
import {
  leadWait,
  queuedCall,
  queuedLeadCall,
  scheduledCall,
} from '../../../../../shared/domain/calls/placing/new-call.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aCalledLead } from '../../../support/call.ts';

const now = new Date('2026-03-02T06:00:00.000Z');
const org = { org_id: 'org1', rate: 1000 };
const assistant = { assistant_id: 'asst_1', name: 'Asha', max_duration_seconds: 601 };
const placed = { call_id: 'call_1', request_id: 'r1', phone_number: '+919876543210', request_metadata: { a: 1 } };

describe('a new call', () => {
  it('is queued with the present terms of organization and assistant, holds its price, and may be dialed at once', () => {
    expect(queuedCall(placed, org, assistant, now)).toEqual({
      ...placed,
      org_id: 'org1',
      status: 'queued',
      assistant_id: 'asst_1',
      assistant_name: 'Asha',
      created_at: '2026-03-02T06:00:00.000Z',
      progress_at: '2026-03-02T06:00:00.000Z',
      unfinished: 'waiting',
      rate: 1000,
      max_duration_seconds: 601,
      held: 11_000,
      dial_by: '2026-03-02T06:15:00.000Z',
      dial_after: '2026-03-02T06:00:00.000Z',
      attempts: 0,
    });
    expect(isWaiting(queuedCall(placed, org, assistant, now))).toBe(true);
  });

  it('has its country’s rate, or else its organization’s, and holds credit at this rate', () => {
    const terms = { ...org, rates: { AE: 2500 } };
    const ratesOf = (phone_number: string) => {
      const { rate, held } = queuedCall({ ...placed, phone_number }, terms, assistant, now);
      return [rate, held];
    };
    expect(ratesOf('+971501234567')).toEqual([2500, 27_500]);
    expect(ratesOf(placed.phone_number)).toEqual([1000, 11_000]);
  });

  it('has the retention of its organization, and none without one', () => {
    const keep = (retention: { calls?: number }) => queuedCall(placed, { ...org, retention }, assistant, now).keep;
    expect(keep({ calls: 30 })).toEqual({ calls: 30, recordings: 30, transcripts: 30 });
    expect(queuedCall(placed, { ...org, retention: {} }, assistant, now)).not.toHaveProperty('keep');
  });

  it('contains all data of its placing, and is read back from the table unchanged', () => {
    const more = {
      ...placed,
      idempotency_key: 'k',
      callback_url: 'https://example.com',
      callback_status: 'pending' as const,
      lead: aCalledLead({ test: true, owner_id: 'o', fields: { FirstName: 'Asha' } }),
      claims_day: '2026-03-02',
    };
    const call = queuedCall(more, org, assistant, now);
    expect(call).toMatchObject(more);
    expect(callSchema.parse(call)).toEqual(call);
  });

  it('waits as long as the organization sets, or else as long as its kind of placing allows', () => {
    const waits = (max_wait_minutes: number | undefined, ...more: number[]) => {
      const terms = { ...org, ...(max_wait_minutes && { max_wait_minutes }) };
      const { dial_by } = queuedCall(placed, terms, assistant, now, ...more);
      return (Date.parse(dial_by) - now.getTime()) / 60_000;
    };
    expect(waits(undefined)).toBe(DEFAULT_WAIT_MINUTES);
    expect(waits(undefined, LEAD_WAIT_MINUTES)).toBe(120);
    expect(waits(30, LEAD_WAIT_MINUTES)).toBe(30);
    expect(waits(30)).toBe(30);
  });
});

describe("a lead's call", () => {
  const opening = { from: new Date('2026-03-02T03:30:00.000Z'), to: new Date('2026-03-02T15:30:00.000Z') };
  const tomorrow = { from: new Date('2026-03-03T03:30:00.000Z'), to: new Date('2026-03-03T15:30:00.000Z') };

  it('waits for its dial as long as the organization sets, two hours by default, but not past the end of its window', () => {
    const dialBy = (at: string, wait?: number) => {
      const terms = { ...org, ...(wait && { max_wait_minutes: wait }) };
      return queuedLeadCall(placed, terms, assistant, new Date(at), opening).dial_by;
    };
    expect(dialBy('2026-03-02T06:00:00.000Z')).toBe('2026-03-02T08:00:00.000Z');
    expect(dialBy('2026-03-02T06:00:00.000Z', 30)).toBe('2026-03-02T06:30:00.000Z');
    expect(dialBy('2026-03-02T13:30:00.001Z')).toBe('2026-03-02T15:30:00.000Z');
    expect(dialBy('2026-03-02T15:29:59.999Z', 1440)).toBe('2026-03-02T15:30:00.000Z');
    const always = queuedLeadCall(placed, org, assistant, new Date('2026-03-02T15:29:59.999Z'), undefined);
    expect(always.dial_by).toBe('2026-03-02T17:29:59.999Z');
  });

  it('may be dialed from the given time until its wait or its window ends', () => {
    const spans = fc.record({
      from: fc.integer({ min: 0, max: 1e9 }),
      opens: fc.integer({ min: -1e8, max: 0 }),
      closes: fc.integer({ min: 1, max: 1e8 }),
      wait: fc.option(fc.integer({ min: 1, max: 1440 }), { nil: undefined }),
      hasWindow: fc.boolean(),
    });
    forAll([spans], ({ from, opens, closes, wait, hasWindow }) => {
      const at = new Date(now.getTime() + from);
      const of = { from: new Date(at.getTime() + opens), to: new Date(at.getTime() + closes) };
      const max = wait === undefined ? {} : { max_wait_minutes: wait };
      const { dial_by, dial_after } = leadWait(max, at, hasWindow ? of : undefined);
      expect(dial_after).toBe(at.toISOString());
      const waits = Date.parse(dial_by) - at.getTime();
      expect(waits).toBe(Math.min((wait ?? 120) * 60_000, hasWindow ? closes : Number.POSITIVE_INFINITY));
    });
  });

  it('that waits for its window holds no credit, and may be dialed only within that window', () => {
    const call = scheduledCall({ ...placed, claims_day: '2026-03-03' }, org, assistant, now, tomorrow);
    expect(call).toEqual({
      ...queuedCall(placed, org, assistant, now),
      claims_day: '2026-03-03',
      status: 'scheduled',
      unfinished: 'scheduled',
      scheduled_for: '2026-03-03T03:30:00.000Z',
      dial_after: '2026-03-03T03:30:00.000Z',
      dial_by: '2026-03-03T05:30:00.000Z',
      held: 0,
      holds: 0,
    });
    expect(callSchema.parse(call)).toEqual(call);
    expect(isWaiting(call)).toBe(false);
    const patient = scheduledCall(placed, { ...org, max_wait_minutes: 1440 }, assistant, now, tomorrow);
    expect(patient.dial_by).toBe('2026-03-03T15:30:00.000Z');
  });
});
