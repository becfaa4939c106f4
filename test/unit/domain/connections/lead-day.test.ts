import type { Outcome } from '../../../../shared/domain/connections/activity.ts';
import { countLeads, leadStates } from '../../../../shared/domain/connections/lead-day.ts';

const entry = (event_id: string, outcome: Outcome, over: { lead_id?: string; test?: boolean; at?: string } = {}) => ({
  connection_id: 'conn_1',
  event_id,
  at: '2026-03-02T06:00:00.000Z',
  lead_id: `lead of ${event_id.split('.')[0]}`,
  test: false,
  outcome,
  ...over,
});

const countOf = (...newestFirst: ReturnType<typeof entry>[]) => countLeads(leadStates(newestFirst));

describe('what became of leads', () => {
  it('is that they were called, whatever came of their other events', () => {
    const lead_id = 'lead-1';
    expect(
      countOf(
        entry('evt_3', 'already_called', { lead_id }),
        entry('evt_2', 'call queued', { lead_id }),
        entry('evt_1', 'call scheduled', { lead_id }),
      ),
    ).toEqual({ leads: 1, called: 1, waiting: 0, not_called: 0, outcomes: {} });
  });

  it('is the newest entry of each event: given up before it rang, or released', () => {
    expect(
      countOf(
        entry('evt_1.dial', 'insufficient_credits'),
        entry('evt_1', 'call queued'),
        entry('evt_2.release.202603020330', 'call queued'),
        entry('evt_2', 'call scheduled'),
        entry('evt_3', 'call scheduled'),
      ),
    ).toEqual({ leads: 3, called: 1, waiting: 1, not_called: 1, outcomes: { insufficient_credits: 1 } });
  });

  it('is not decided while a lead waits for its CRM, whose entry has the time of the decision', () => {
    expect(
      countOf(
        entry('evt_1.waiting', 'crm_unavailable'),
        entry('evt_1', 'owner_mismatch'),
        entry('evt_2.waiting', 'crm_unavailable'),
        entry('evt_3', 'crm_unavailable'),
      ),
    ).toEqual({ leads: 3, called: 0, waiting: 1, not_called: 2, outcomes: { owner_mismatch: 1, crm_unavailable: 1 } });
  });

  it('is the newest outcome of a lead that was not called', () => {
    const lead_id = 'lead-1';
    const events = [entry('evt_2', 'do_not_call', { lead_id }), entry('evt_1', 'owner_mismatch', { lead_id })];
    expect(countOf(...events).outcomes).toEqual({ do_not_call: 1 });
  });

  it('leaves out test events and messages about no lead', () => {
    expect(countOf(entry('evt_1', 'call queued', { test: true }), entry('evt_2', 'ignored'))).toMatchObject({
      leads: 0,
    });
  });
});
