import {
  describeDays,
  leadEventsQuery,
  readLeadSearch,
  retryRequestOf,
} from '../../../dashboard/app/url/lead-filters.ts';
import { ownerToUse } from '../../../dashboard/words/leads/lead-owner.ts';
import { describeReason } from '../../../dashboard/words/leads/lead-reasons.ts';
import {
  checkNames,
  checkStateNames,
  describeDecisionNow,
  describeVerdict,
  fixHref,
  healthNames,
  testPlaceOf,
} from '../../../dashboard/words/leads/lead-verdict.ts';
import {
  crmNames,
  describeDeliveries,
  describeLeadFilters,
  formatMaskedPhone,
  groupNames,
  happeningNames,
  sourceWords,
} from '../../../dashboard/words/leads/leads.ts';
import { leadsCsv } from '../../../dashboard/words/leads/leads-csv.ts';
import { outcomeWords } from '../../../dashboard/words/leads/outcomes.ts';
import { CANCELED_SINCE } from '../../../shared/domain/calls/dialing/cancel-claim.ts';
import { leadEventKinds, leadSources, type Outcome, outcomes } from '../../../shared/domain/connections/activity.ts';
import { checkStates, checksOf, leadChecks } from '../../../shared/domain/leads/lead-checks.ts';
import { groupOf, outcomeGroups } from '../../../shared/domain/leads/outcome-groups.ts';
import type { Explanation, LeadEventRow } from '../../../shared/messages/dashboard/leads.ts';

const AT = '2026-03-02T06:00:00.000Z';
const CALL = {
  id: 'call_1',
  status: 'completed' as const,
  ended_reason: null,
  placed_at: AT,
  scheduled_for: null,
  duration: 61,
};
type Verdict = NonNullable<Explanation['verdict']>;

const aRow = (over: Partial<LeadEventRow> = {}): LeadEventRow => ({
  id: 'evt_1',
  at: AT,
  connection_id: 'conn_1',
  crm: 'crm-b',
  source: 'webhook',
  event: 'new_lead',
  is_test: false,
  lead_id: '1001',
  phone_masked: '+91*******210',
  owner_id: 'owner-1',
  outcome: 'owner_mismatch',
  reason: 'Because.',
  call: null,
  is_superseded: false,
  scheduled_for: null,
  payload_keys: ['ids'],
  ...over,
});

const anExplanation = (
  outcome: Outcome,
  over: Partial<Verdict> = {},
  more: Partial<Explanation> = {},
): Explanation => ({
  asked: { phone: '+919876543210', lead_id: '98765 43210' },
  verdict: {
    outcome,
    reason: 'Because.',
    at: AT,
    event_id: 'evt_1',
    connection_id: 'conn_1',
    crm: 'crm-b',
    lead_id: '1001',
    is_test: false,
    checks: checksOf(outcome, 'crm-b'),
    owner: { lead: 'owner-2', wanted: 'owner-1' },
    call: null,
    other_call: null,
    ...over,
  },
  now: { outcome, unknown: null, reason: 'Because.', opens_at: null, checks: [] },
  number: null,
  events: [],
  has_more_events: false,
  calls: [],
  connections: [],
  ...more,
});

const aConnection = (over: Partial<Explanation['connections'][number]> = {}) => ({
  connection_id: 'conn_1',
  crm: 'crm-a' as const,
  auto_call: true,
  health: 'healthy' as const,
  health_reason: null,
  last_delivery_at: AT,
  last_rejection: null,
  ...over,
});

describe('the words of an outcome', () => {
  it.each(outcomes)('name the lead’s outcome and one fix: %s', (outcome) => {
    const { name, sentence, fix } = outcomeWords[outcome];
    expect(name.length).toBeLessThanOrEqual(22);
    expect(sentence).toMatch(/^(It (is|was) called|Not called|Perhaps not called).*\.$/);
    expect(fix.text).toMatch(/^[A-Z].*[^.]$/);
    const verdict = describeVerdict(anExplanation(outcome, { call: CALL, other_call: { ...CALL, id: 'call_2' } }));
    expect(verdict.sentence).toMatch(/^[A-Z][^.]*.*\.$/);
    expect(verdict.fix.text).toBe(fix.text);
    expect(verdict.fix.href !== undefined).toBe(fix.at !== 'none');
    if (groupOf[outcome] === 'skipped' || groupOf[outcome] === 'needs_you')
      expect(verdict.sentence).toMatch(/^(Perhaps n|N)ot called/);
  });

  it('say when each connected CRM last sent a lead', () => {
    const health = (last_delivery_at: string | null) =>
      ({ last_delivery_at }) as Parameters<typeof describeDeliveries>[0][number]['health'];
    const sentences = describeDeliveries([
      { type: 'crm-a', is_connected: true, health: health(AT) },
      { type: 'crm-b', is_connected: true, health: health(null) },
      { type: 'help-desk', is_connected: true, health: health(AT) },
    ]);
    expect(sentences).toBe('CRM-A last sent something on 2 Mar 2026, 11:30 IST. CRM-B has sent nothing yet.');
    expect(describeDeliveries([{ type: 'crm-a', is_connected: false, health: health(AT) }])).toBe('');
  });

  it('exist for every group, event, source, check and state', () => {
    for (const group of outcomeGroups) expect(groupNames[group]).toMatch(/^[A-Z]/);
    for (const kind of leadEventKinds) expect(happeningNames[kind]).toMatch(/^\w/);
    for (const source of [...leadSources, 'dial' as const]) expect(typeof sourceWords[source]).toBe('string');
    for (const check of leadChecks) expect(checkNames[check]).toMatch(/^\w/);
    for (const state of checkStates) expect(checkStateNames[state]).toMatch(/^\w/);
    expect([Object.keys(crmNames), Object.keys(healthNames).length]).toEqual([['crm-a', 'crm-b'], 6]);
  });
});

describe('the verdict', () => {
  it("says when the Sunday retry may call a lead again, and links to the organization's own numbers if they prevent it", () => {
    const retried = describeVerdict(anExplanation('retried_recently', { other_call: CALL }));
    expect(retried.sentence).toMatch(
      /less than 20 hours before\. The retry may call it again from 3 Mar 2026, 07:30 IST on\.$/,
    );
    expect(describeVerdict(anExplanation('own_platform_number')).fix.href).toBe('/settings/organization');
  });

  it('says where to test the fix if the connection must be changed', () => {
    expect(testPlaceOf(anExplanation('owner_mismatch'))).toBe('/connections/conn_1#test-event');
    for (const outcome of ['call queued', 'do_not_call', 'insufficient_credits'] as const)
      expect(testPlaceOf(anExplanation(outcome))).toBeUndefined();
  });

  it.each([
    [
      { lead: 'R. Das', wanted: 'P. Nair' },
      'Not called: it belonged to the owner with the id “R. Das”. Calls go to leads of the owner with the id “P. Nair”.',
    ],
    [
      { lead: null, wanted: 'P. Nair' },
      'Not called: the lead had no owner. Calls go to leads of the owner with the id “P. Nair”.',
    ],
    [{ lead: 'R. Das', wanted: null }, 'Not called: the connection does not say whose leads are called.'],
    [
      { lead: 'A', wanted: 'A' },
      'Not called: at that time, the leads of another owner were called. Now calls go to leads of the owner with the id “A”.',
    ],
  ])('names both owners: %j', (owner, sentence) => {
    expect(describeVerdict(anExplanation('owner_mismatch', { owner })).sentence).toBe(sentence);
  });

  it.each<[Outcome, Partial<Verdict['owner']>, string | undefined]>([
    ['owner_mismatch', {}, 'owner-2'],
    ['owner_mismatch', { wanted: null }, 'owner-2'],
    ['owner_mismatch', { lead: null }, undefined],
    ['owner_mismatch', { lead: 'owner-1' }, undefined],
    ['do_not_call', {}, undefined],
  ])('offers the lead’s owner if only the owner prevented the call: %s %j', (outcome, owner, lead) => {
    const explained = anExplanation(outcome, { owner: { lead: 'owner-2', wanted: 'owner-1', ...owner } });
    expect(ownerToUse(explained)?.lead).toBe(lead);
    expect(ownerToUse({ ...explained, verdict: null })).toBeUndefined();
  });

  it.each([
    ['completed', 'It was called and answered.'],
    ['no_answer', 'It was called, but the call was not answered.'],
    ['queued', 'It is about to be called: its call waits for a line.'],
    ['ringing', 'It is being called right now.'],
    ['canceled', 'It was to be called, but its phone did not ring. An operator canceled it.'],
  ] as const)('shows the outcome of the call: %s', (status, sentence) => {
    const ended_reason = status === 'canceled' ? 'canceled_by_operator' : null;
    const call = { ...CALL, status, ended_reason };
    const described = describeVerdict(anExplanation('call queued', { call }));
    // "Its call was queued" would contradict its outcome.
    expect([described.sentence, described.reason, described.fix.href]).toEqual([sentence, undefined, '/calls/call_1']);
  });

  it('links to the number in the do-not-call list, and omits the link to an unknown call', () => {
    const listed = { phone: '+919876543210', phone_masked: '+91*******210', is_own: false, do_not_call: null };
    expect(describeVerdict(anExplanation('do_not_call')).fix.href).toBe('/do-not-call?prefix=%2B919876543210');
    const byLead = anExplanation('do_not_call', {}, { asked: { phone: null, lead_id: '1001' }, number: listed });
    expect(describeVerdict(byLead).fix.href).toBe('/do-not-call?prefix=%2B919876543210');
    expect(fixHref('other_call', { connection_id: 'conn_1' })).toBeUndefined();
    expect(fixHref('call', { connection_id: 'c', call: { id: '../x?y' } })).toBe('/calls/..%2Fx%3Fy');
  });

  it.each([
    [[], 'Connect a CRM', '/connections'],
    [[aConnection({ health: 'rejecting' })], 'Look at CRM-A: it refuses deliveries', '/connections/conn_1'],
    [[aConnection()], 'Check in the CRM that the lead was changed, and that the CRM notifies us', undefined],
  ] as const)('says that no event is in Activity, with the next step', (connections, text, href) => {
    const more = { verdict: null, now: null, connections: [...connections] };
    const described = describeVerdict({ ...anExplanation('ignored'), ...more });
    expect(described.sentence).toBe(
      'No event about the number +91 98765 43210 is in Activity, which is kept for 90 days at most.',
    );
    expect(described.fix).toEqual({ text, ...(href && { href }) });
    expect(describeDecisionNow({ ...anExplanation('ignored'), ...more })).toBe('');
  });

  it.each([
    [
      '98123',
      'No lead with the id “98123” is in Activity, which is kept for 90 days at most. As a phone number it has too few or too many digits.',
    ],
    ['hello there', '“hello there” is neither a phone number nor a lead id.'],
    ['8f1c-22', 'No lead with the id “8f1c-22” is in Activity, which is kept for 90 days at most.'],
  ])('says how the search text %j was read if it found no lead', (lead_id, sentence) => {
    const asked = { phone: null, lead_id };
    const described = describeVerdict({
      ...anExplanation('ignored'),
      asked,
      verdict: null,
      now: null,
      connections: [],
    });
    expect(described.sentence).toBe(sentence);
    expect(described.fix.text).toMatch(lead_id.includes(' ') ? /^Search by the whole phone number/ : /^Connect a CRM/);
  });

  it('says “today” only for an event of today, and for the present decision', () => {
    const reason = 'This lead has already been called on that day or since.';
    const row = aRow({ outcome: 'already_called', reason });
    const [today, tomorrow] = [new Date('2026-03-02T17:00:00.000Z'), new Date('2026-03-02T19:00:00.000Z')];
    expect(describeReason(row, today)).toBe('This lead has already been called today.');
    expect([describeReason(row, tomorrow), describeReason({ ...row, source: 'retry' }, today)]).toEqual([
      reason,
      reason,
    ]);
    expect(describeReason({ ...row, reason: CANCELED_SINCE }, today)).toBe(CANCELED_SINCE);
    expect(describeReason(aRow(), today)).toBe('Because.');
    const now = { outcome: 'already_called' as const, unknown: null, reason, opens_at: null, checks: [] };
    expect(describeDecisionNow(anExplanation('call queued', {}, { now }))).toBe(
      'If it arrived now, it would not be called again. This lead has already been called today.',
    );
    const events = [aRow({ id: 'evt_1', at: new Date().toISOString() })];
    const asked = anExplanation('phone_already_called', { at: new Date().toISOString(), reason }, { events });
    expect(describeVerdict(asked).reason).toBe('This phone number has already been called today.');
    expect(describeVerdict(anExplanation('phone_already_called', { reason }, { events })).reason).toBe(reason);
  });

  it.each([
    ['completed', 'It was called on 2 Mar 2026, 11:30 IST and answered.'],
    ['no_answer', 'It was called on 2 Mar 2026, 11:30 IST, but the call was not answered.'],
    ['busy', 'It was called on 2 Mar 2026, 11:30 IST, and the line was busy.'],
    ['ringing', 'It is being called right now.'],
    ['queued', 'It is about to be called: its call waits for a line.'],
    ['failed', 'It was to be called on 2 Mar 2026, 11:30 IST, but its phone did not ring.'],
  ] as const)('describes the newest call if no CRM sent the number: %s', (status, sentence) => {
    const calls = [
      { ...CALL, status },
      { ...CALL, id: 'call_0', status: 'busy' as const },
    ];
    const described = describeVerdict({ ...anExplanation('ignored'), verdict: null, now: null, calls });
    expect(described.sentence).toBe(`${sentence} The call did not come from a CRM: an API key or a member placed it.`);
    expect(described.fix).toEqual({ text: 'See the call', href: '/calls/call_1' });
  });

  it.each([
    [{ outcome: 'owner_mismatch' }, 'If it arrived now, the result would be the same.'],
    [{ outcome: 'call queued' }, 'If it arrived now, it would be called.'],
    [{ outcome: 'do_not_call', reason: 'Listed.' }, 'If it arrived now, it would not be called. Listed.'],
    [
      { outcome: null, unknown: 'phone' },
      'If it arrived now: its number is not stored here. Search by the number to find out.',
    ],
    [
      { outcome: 'call scheduled', opens_at: '2026-03-03T03:30:00.000Z' },
      'If it arrived now, it would be called when the call window opens, on 3 Mar 2026, 09:00 IST.',
    ],
  ] as const)('says how the lead would be decided now: %j', (now, sentence) => {
    const whole = { unknown: null, reason: null, opens_at: null, checks: [], ...now };
    expect(describeDecisionNow(anExplanation('owner_mismatch', {}, { now: whole }))).toBe(sentence);
  });
});

describe('the list of lead events', () => {
  it('stores its filters in the address, and ignores invalid values', () => {
    const search = {
      ask: ' 98765 ',
      group: 'skipped',
      crm: 'crm-a',
      tests: 'none',
      from: '2026-11-01',
      to: 'x',
      outcome: 'no',
    };
    const read = readLeadSearch(search);
    expect(read).toEqual({ ask: '98765', group: 'skipped', crm: 'crm-a', tests: 'none', from: '2026-11-01' });
    const { ask: _, ...filters } = read;
    expect(leadEventsQuery(filters)).toMatchObject({ group: 'skipped', from: '2026-10-31T18:30:00.000Z' });
    expect(describeLeadFilters(filters)).toBe('The filters: skipped, from CRM-A, no test events, from 1 Nov 2026.');
  });

  it('exports a file without formulas', () => {
    const written = leadsCsv([
      aRow({ lead_id: '=cmd()', owner_id: '+1', reason: '@x', payload_keys: ['-2+3', 'Phone'], is_test: true }),
    ]);
    const [, row = ''] = written.split('\r\n');
    for (const cell of row.split(',')) expect(cell).not.toMatch(/^"?[=+@-](?!\d)/);
    expect(row).toContain("'=cmd()");
    expect(row).toContain("'@x");
    expect(row).toContain('Other owner');
  });

  it('exports the time of a scheduled call in both zones, like all other times', () => {
    const [header, line] = leadsCsv([aRow({ scheduled_for: '2026-11-23T04:00:00.000Z' })]).split('\r\n');
    expect(header).toContain('Scheduled for (UTC),Scheduled for (India)');
    expect(line).toContain('2026-11-23T04:00:00.000Z,"23 Nov 2026, 09:30 IST"');
  });

  it('exports a superseded entry in no group, as the page counts it', () => {
    const cellsOf = (is_superseded: boolean) =>
      leadsCsv([aRow({ outcome: 'crm_unavailable', is_superseded })])
        .split('\r\n')[1]
        ?.split(',') ?? [];
    const isGroupOrFix = (cell: string) => /Needs you|Check the connection/.test(cell);
    expect(cellsOf(false).filter(isGroupOrFix)).toHaveLength(2);
    expect(cellsOf(true).filter(isGroupOrFix)).toEqual([]);
    expect(cellsOf(true)).toContain('Another entry says what happened next.');
  });

  it('shows the masked digits of a number as dots', () => {
    expect(formatMaskedPhone('+91*******210')).toBe('+91 ••••••• 210');
    expect(formatMaskedPhone('***')).toBe('***');
  });
});

describe('the request to retry leads', () => {
  const now = new Date('2026-03-10T06:00:00.000Z');

  it.each([
    [{ from: '2026-03-08', to: '2026-03-09' }, '2026-03-07T18:30:00.000Z', '2026-03-09T18:29:59.999Z'],
    [{ from: '2026-03-08' }, '2026-03-07T18:30:00.000Z', undefined],
    [{}, '2025-12-10T06:00:00.000Z', undefined],
  ])('covers the time that the list %j shows', (filters, since, until) => {
    expect(retryRequestOf(filters, 'insufficient_credits', now)).toEqual({
      outcome: 'insufficient_credits',
      since,
      ...(until && { until }),
    });
  });

  it('omits test events if the list omits them', () => {
    expect(retryRequestOf({ tests: 'none' }, 'crm_unavailable', now)).toMatchObject({ tests: 'none' });
  });

  it.each([
    [{}, 'all days for which Activity is kept'],
    [{ from: '2026-03-08' }, '8 Mar 2026 to today'],
    [{ to: '2026-03-08' }, 'all days up to 8 Mar 2026 for which Activity is kept'],
    [{ from: '2026-03-08', to: '2026-03-09' }, '8 Mar 2026 to 9 Mar 2026'],
    [{ from: '2026-03-08', to: '2026-03-08' }, '8 Mar 2026'],
  ])('is described for %j as the events of %s', (filters, words) => {
    expect(describeDays(filters)).toBe(words);
  });
});
