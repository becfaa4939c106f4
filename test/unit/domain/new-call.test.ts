import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callSchema, isWaiting } from '../../../shared/domain/call.ts';
import { DEFAULT_WAIT_MINUTES, LEAD_WAIT_MINUTES } from '../../../shared/domain/dial-timing.ts';
import { queuedCall } from '../../../shared/domain/new-call.ts';

const now = new Date('2026-03-02T06:00:00.000Z');
const org = { org_id: 'org1', rate: 1000 };
const assistant = { assistant_id: 'asst_1', name: 'Asha', max_duration_seconds: 601 };
const placed = { call_id: 'call_1', request_id: 'r1', phone_number: '+919876543210', request_metadata: { a: 1 } };

describe('a new call', () => {
  it('is queued on the terms that org and assistant have now, and waits for its dial from now on', () => {
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

  it('keeps what its placing says of it, and is what the table reads back', () => {
    const more = {
      ...placed,
      idempotency_key: 'k',
      callback_url: 'https://example.com',
      callback_status: 'pending' as const,
      lead: {
        crm: 'crm-a' as const,
        connection_id: 'conn_1',
        lead_id: 'l',
        event_id: 'evt_1',
        event: 'new_lead' as const,
        test: true,
        owner_id: 'o',
        fields: { FirstName: 'Asha' },
      },
      claims_day: '2026-03-02',
    };
    const call = queuedCall(more, org, assistant, now);
    expect(call).toMatchObject(more);
    expect(callSchema.parse(call)).toEqual(call);
  });

  it('waits as long as the org says, else as its kind of placing does', () => {
    const waits = (max_wait_minutes: number | undefined, ...more: number[]) => {
      const { dial_by } = queuedCall(
        placed,
        { ...org, ...(max_wait_minutes && { max_wait_minutes }) },
        assistant,
        now,
        ...more,
      );
      return (Date.parse(dial_by) - now.getTime()) / 60_000;
    };
    expect(waits(undefined)).toBe(DEFAULT_WAIT_MINUTES);
    expect(waits(undefined, LEAD_WAIT_MINUTES)).toBe(120);
    expect(waits(30, LEAD_WAIT_MINUTES)).toBe(30);
    expect(waits(30)).toBe(30);
  });

  it('holds rate x started minutes of its longest duration', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 7200 }), (rate, seconds) => {
        const { held } = queuedCall(placed, { ...org, rate }, { ...assistant, max_duration_seconds: seconds }, now);
        expect(held).toBeGreaterThanOrEqual((rate * seconds) / 60 - 1e-6);
        expect(held - rate).toBeLessThanOrEqual((rate * seconds) / 60);
        expect(Number.isInteger(held)).toBe(true);
      }),
    );
  });
});
