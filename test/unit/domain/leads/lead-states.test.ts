import type { Outcome } from '../../../../shared/domain/connections/activity.ts';
import { countLeads, leadStates } from '../../../../shared/domain/leads/lead-states.ts';

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

describe('the state of a lead', () => {
  it('is called if one event called it, whatever its other outcomes', () => {
    const lead_id = 'lead-1';
    expect(
      countOf(
        entry('evt_3', 'already_called', { lead_id }),
        entry('evt_2', 'call queued', { lead_id }),
        entry('evt_1', 'call scheduled', { lead_id }),
      ),
    ).toEqual({ leads: 1, called: 1, waiting: 0, not_called: 0, outcomes: {} });
  });

  it('follows the newest entry of each event: given up before it rang, or released', () => {
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

  it('is waiting while the lead waits for its CRM, until the entry of the decision', () => {
    expect(
      countOf(
        entry('evt_1.waiting', 'crm_unavailable'),
        entry('evt_1', 'owner_mismatch'),
        entry('evt_2.waiting', 'crm_unavailable'),
        entry('evt_3', 'crm_unavailable'),
      ),
    ).toEqual({ leads: 3, called: 0, waiting: 1, not_called: 2, outcomes: { owner_mismatch: 1, crm_unavailable: 1 } });
  });

  it('is the newest outcome if the lead was not called', () => {
    const lead_id = 'lead-1';
    const events = [entry('evt_2', 'do_not_call', { lead_id }), entry('evt_1', 'owner_mismatch', { lead_id })];
    expect(countOf(...events).outcomes).toEqual({ do_not_call: 1 });
  });

  it('is called while its call waits at a spend limit', () => {
    expect(countOf(entry('evt_1.dial', 'spend_limit_reached'), entry('evt_1', 'call queued'))).toMatchObject({
      called: 1,
    });
  });

  it('is separate for each event that names no lead', () => {
    const events = ['evt_1', 'evt_2'].map((id) => ({ ...entry(id, 'crm_unavailable'), lead_id: undefined }));
    expect(countLeads(leadStates(events))).toMatchObject({ leads: 2, not_called: 2 });
  });

  it('is separate for leads of two connections with the same id', () => {
    const lead_id = 'lead-1';
    const [one, other] = ['evt_1', 'evt_2'].map((id) => entry(id, 'call queued', { lead_id }));
    expect(countLeads(leadStates([{ ...one, connection_id: 'conn_2' }, other] as never))).toMatchObject({ leads: 2 });
  });

  it('does not exist for test events and messages about no lead', () => {
    expect(countOf(entry('evt_1', 'call queued', { test: true }), entry('evt_2', 'ignored'))).toMatchObject({
      leads: 0,
    });
  });
});
