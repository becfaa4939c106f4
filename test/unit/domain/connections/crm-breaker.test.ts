import {
  admissionBy,
  afterFailure,
  type CrmBreaker,
  isDownForLong,
  pauseOf,
} from '../../../../shared/domain/connections/crm-breaker.ts';

const START = Date.parse('2026-03-02T06:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1000);
const instant = (seconds: number) => at(seconds).toISOString();

/** @returns the breaker after failures of these leads at the start */
const failing = (...leads: string[]): CrmBreaker | undefined =>
  leads.reduce<CrmBreaker | undefined>((breaker, lead) => afterFailure(breaker, lead, at(0)), undefined);
const open = failing('1', '2', '1', '2', '1') as CrmBreaker;

describe('the breaker of a connection to CRM-B', () => {
  it('admits requests until five failures without an answer in between', () => {
    expect(admissionBy(undefined, at(0))).toEqual({ kind: 'admitted' });
    expect(admissionBy(failing('1', '2', '1', '2'), at(0))).toEqual({ kind: 'admitted' });
    expect(open).toEqual({ failures: 5, lead_id: expect.any(String), opened_at: instant(0), not_before: instant(60) });
    expect(admissionBy(open, at(59))).toEqual({ kind: 'refused' });
  });

  it('does not open because of a single failing lead', () => {
    expect(failing(...Array(20).fill('1'))).toMatchObject({ failures: 1 });
  });

  it('stores no id of a lead, but a mark that very many leads share', () => {
    const ids = Array.from({ length: 2_000 }, (_, number) => `42000000000${number}`);
    const marks = ids.map((id) => failing(id)?.lead_id ?? '');
    for (const mark of marks) expect(mark).toMatch(/^[0-9a-f]{4}$/);
    expect(new Set(marks).size).toBeGreaterThan(1_900);
  });

  it('admits one probe after a pause, and no other request for a minute', () => {
    const next = { ...open, not_before: instant(120) };
    expect(admissionBy(open, at(60))).toEqual({ kind: 'probe', next });
    expect(admissionBy(next, at(119))).toEqual({ kind: 'refused' });
  });

  it('waits for 1 minute, then 2, 4 and 5, and keeps the time at which it opened', () => {
    let breaker = open;
    const pauses = [1, 2, 3, 4].map(() => {
      const pause = pauseOf(breaker, at(0));
      breaker = afterFailure(breaker, '1', at(0));
      return pause;
    });
    expect(pauses).toEqual([60, 120, 240, 300]);
    expect(breaker.opened_at).toBe(instant(0));
    expect([pauseOf(undefined, at(0)), pauseOf(open, at(61))]).toEqual([0, 0]);
  });

  it('opens at once if CRM-B demands a wait, for at least that time but 15 minutes at most', () => {
    const pauses = [10, 600, 86_400].map((demanded) => pauseOf(afterFailure(undefined, '1', at(0), demanded), at(0)));
    expect(pauses).toEqual([10, 600, 900]);
    const sixth = afterFailure(open, '1', at(0), 10);
    expect([pauseOf(sixth, at(0)), sixth.failures]).toEqual([120, 6]);
    // The wait is over, and CRM-B demands no other.
    expect(afterFailure(afterFailure(undefined, '1', at(0), 10), '1', at(10))).toEqual({
      ...{ failures: 2, lead_id: failing('1')?.lead_id },
    });
  });

  it('reports a long outage of CRM-B after half an hour, except while a probe is due or under way', () => {
    const late = (notBefore: number): CrmBreaker => ({ ...open, not_before: instant(notBefore) });
    expect(isDownForLong(late(2_000), at(1_799))).toBe(false);
    expect(isDownForLong(late(2_000), at(1_800))).toBe(true);
    expect(isDownForLong(late(1_860), at(1_800))).toBe(false);
    expect(isDownForLong(undefined, at(1_800))).toBe(false);
  });
});
