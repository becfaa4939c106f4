import * as z from 'zod/mini';
import { deniedReasonToChangeMember, deniedReasonToGiveRole } from '../../../dashboard/app/session/rights.ts';
import { describePlacedBy } from '../../../dashboard/words/calls/call-page.ts';
import { callsCsv } from '../../../dashboard/words/calls/calls-csv.ts';
import { describeTimeline } from '../../../dashboard/words/calls/timeline.ts';
import { describeDecisionNow, describeVerdict } from '../../../dashboard/words/leads/lead-verdict.ts';
import { leadsCsv } from '../../../dashboard/words/leads/leads-csv.ts';
import { describeOutcome } from '../../../dashboard/words/leads/outcomes.ts';
import { nameIn, wordsIn } from '../../../dashboard/words/newer.ts';
import { auditCsv } from '../../../dashboard/words/organization/audit-csv.ts';
import { creditCsv } from '../../../dashboard/words/organization/credit.ts';
import { retryableOutcomes } from '../../../shared/domain/connections/activity.ts';
import { allRetryable, viewLeadCounts } from '../../../shared/domain/leads/lead-counts-view.ts';
import type { CallRow } from '../../../shared/messages/dashboard/calls.ts';
import {
  type Explanation,
  explainLead,
  type LeadEventRow,
  listLeadEvents,
} from '../../../shared/messages/dashboard/leads.ts';

const AT = '2026-11-22T08:32:11.000Z';
/** Names that a newer version of the service wrote. The second must not find a member of `Object.prototype`. */
const newer = ['brand_new', 'constructor'];

const call = (name: string): CallRow => ({
  ...{ id: 'call_1', placed_at: AT, phone_number: '+919812345678', assistant: { id: 'asst_1', name: 'Asha' } },
  ...{ source: name, status: name, ended_reason: null, scheduled_for: null, started_at: null, duration: null },
  ...{ cost: null, success: name, callback_status: name, is_live: true },
});

const event = (name: string): LeadEventRow => ({
  ...{ id: 'evt_1', at: AT, connection_id: 'conn_1', crm: 'crm-b', source: name, event: name, is_test: false },
  ...{ lead_id: 'l1', phone_masked: null, owner_id: null, outcome: name, reason: 'Why.', scheduled_for: null },
  is_superseded: false,
  ...{ call: { id: 'call_1', status: name, ended_reason: null }, payload_keys: [] },
});

/** The cells of the only row of a CSV file. */
const cellsOf = (csv: string): string[] => (csv.split('\r\n')[1] ?? '').split(',');

describe.each(newer)('a name that the dashboard does not know (%s)', (name) => {
  it('is shown unchanged', () => {
    expect(nameIn({ known: 'Known' }, name)).toBe(name);
    expect(wordsIn({ known: { name: 'Known', tone: 'good' } }, name)).toEqual({ name, tone: 'plain' });
    expect([nameIn({ known: 'Known' }, 'known'), describeOutcome('call queued').name]).toEqual(['Known', 'Called']);
  });

  it('is in the files that people download', () => {
    const entry = { entry: 'e', at: AT, call_id: null, key: null, call: null, reason: null, amount: 1, held: 0 };
    const change = { entry: 'e', at: AT, thing: { id: 'k', name: 'k' }, before: null, after: null };
    const times = (csv: string) => cellsOf(csv).filter((cell) => cell === name).length;
    expect(times(callsCsv([call(name)]))).toBe(4);
    expect(times(leadsCsv([{ ...event(name), crm: name }]))).toBe(5);
    expect(times(creditCsv([{ ...entry, kind: name }]))).toBe(1);
    expect(times(auditCsv([{ ...change, actor: { kind: name, name }, action: name }]))).toBe(3);
  });

  it('appears in the answer about a lead and on the page of a call', () => {
    const { outcome, reason } = event(name);
    const explained = {
      asked: { phone: null, lead_id: 'l1' },
      ...{ now: null, number: null, events: [event(name)], has_more_events: false, calls: [], connections: [] },
      verdict: {
        ...{ outcome, reason, at: AT, event_id: 'evt_1', connection_id: 'conn_1', crm: 'crm-b', lead_id: 'l1' },
        ...{ is_test: false, checks: [], owner: { lead: null, wanted: null }, call: null, other_call: null },
      },
    } satisfies Explanation as Explanation;
    expect(describeVerdict(explained)).toMatchObject({ tone: 'info', sentence: expect.stringContaining(name) });
    const ofNewer = describeVerdict({ ...explained, verdict: null, events: [{ ...event(name), crm: name }] });
    expect(ofNewer).toMatchObject({ tone: 'info', sentence: expect.stringContaining(`connection ${name}`) });
    const now = { outcome: name, unknown: null, reason: 'Why today.', opens_at: null, checks: [] };
    const { verdict } = explained;
    const read = explainLead.answer.parse({ ...explained, now, verdict: { ...verdict, outcome: 'owner_mismatch' } });
    expect(describeDecisionNow(read)).toBe('If it arrived now, it would not be called. Why today.');
    expect(describePlacedBy({ placed_by: { kind: 'newer', name }, lead: null })).toEqual({ name, href: undefined });
    const step = { step: 'note', state: name, at: AT, id: null, error: null } as const;
    const parts = { timeline: [], callbacks: [], ended_reason: null, attempts: 1 };
    expect(describeTimeline({ ...parts, steps: [step] })).toEqual([]);
  });

  it('is a role that cannot be changed or given here', () => {
    const me = { user_id: 'u1', role: 'owner' as const, admins: [] };
    expect(deniedReasonToChangeMember(me, { user_id: 'u2', role: name }, [], true)).toMatch(/newer version/);
    expect(deniedReasonToGiveRole(me, name)).toBeDefined();
  });
});

// Pages that are open in a browser stay as they are if the API goes back to its former version.
describe('the list of lead events of another version', () => {
  const list = (items: object[], counts: object | null = null) =>
    listLeadEvents.answer.safeParse({ items, next: null, searched_to: null, counts });

  it('is read without the members that version 0.9.0 does not send', () => {
    const { is_superseded: _, ...former } = event('call queued');
    expect(list([former])).toMatchObject({ success: true, data: { items: [former] } });
  });

  it.each(newer)('is read with the outcome of a retryable event that the page does not know (%s)', (outcome) => {
    const retryable = [{ connection_id: 'conn_1', outcome, events: 1 }];
    expect(list([], { outcomes: { [outcome]: 1 }, retryable })).toMatchObject({ success: true });
  });

  it('has all retryable outcomes for later pages, and for those of version 0.9.0 only the ones that they accept', () => {
    const former = ['insufficient_credits', 'destination_not_allowed', 'crm_unavailable', 'expired'];
    const known = z.enum([...former, 'platform_unreachable']);
    const retryable = retryableOutcomes.map((outcome) => ({ connection_id: 'conn_1', outcome, events: 1 }));
    const { counts } = listLeadEvents.answer.parse({
      ...{ items: [], next: null, searched_to: null },
      counts: viewLeadCounts({ outcomes: {}, retryable }),
    });
    expect(counts?.retryable.map(({ outcome }) => known.parse(outcome))).toHaveLength(5);
    expect(counts && allRetryable(counts)).toEqual(retryable);
  });
});
