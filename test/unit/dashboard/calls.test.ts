import { assistantOptions, callsQuery, readCallFilters } from '../../../dashboard/app/url/call-filters.ts';
import { strictSearch } from '../../../dashboard/app/url/search.ts';
import { parseTranscript } from '../../../dashboard/pages/call/parse-transcript.ts';
import { describeCallFilters, describeListedCalls } from '../../../dashboard/words/calls/call-filters.ts';
import {
  callbackName,
  callbackStates,
  describeAttempt,
  describeOpenStep,
  describePlacedBy,
  describeWait,
  formatFieldValue,
  isBeingSent,
  stepWords,
  whyNoAnalysis,
  whyNoRecording,
  whyNoTranscript,
} from '../../../dashboard/words/calls/call-page.ts';
import { failedCallbacksOf } from '../../../dashboard/words/calls/callbacks.ts';
import { describeEndedReason, formatPhone, statusWords } from '../../../dashboard/words/calls/calls.ts';
import { callsCsv } from '../../../dashboard/words/calls/calls-csv.ts';
import { describeTimeline, factWords } from '../../../dashboard/words/calls/timeline.ts';
import { callbackSchema } from '../../../shared/domain/after-call/callbacks/callback.ts';
import { callFacts, callSteps } from '../../../shared/domain/calls/call-facts.ts';
import { callStatuses } from '../../../shared/domain/calls/call-status.ts';
import { outcomes } from '../../../shared/domain/connections/activity.ts';
import type { CallRow, ShownCall } from '../../../shared/messages/dashboard/calls.ts';

const row: CallRow = {
  id: 'call_1',
  placed_at: '2026-11-22T08:32:11.000Z',
  phone_number: '+919812345678',
  assistant: { id: 'asst_1', name: '=Asha' },
  source: 'rest',
  status: 'completed',
  ended_reason: 'customer-ended-call',
  scheduled_for: null,
  started_at: null,
  duration: 125,
  cost: 3,
  success: 'success',
  callback_status: 'failed',
  is_live: false,
};

it('offers every known assistant, by name, and the chosen one even without a name', () => {
  const seen = new Map([['asst_9', 'Old one']]);
  const listed = [
    { assistant_id: 'asst_1', name: 'Ravi' },
    { assistant_id: 'asst_2', name: 'Asha' },
  ];
  const options = assistantOptions(seen, listed, 'asst_gone');
  expect(options).toEqual([
    ['asst_2', 'Asha'],
    ['asst_9', 'Old one'],
    ['asst_1', 'Ravi'],
    ['asst_gone', 'asst_gone'],
  ]);
});

describe('words', () => {
  it.each(callStatuses)('name the status %s', (status) => {
    expect(statusWords[status].name).toMatch(/^[A-Z]/);
    expect(callbackName(`call.${status}`)).toBe(statusWords[status].name);
  });

  it.each([
    ...outcomes.filter((outcome) => !outcome.startsWith('call ') && outcome !== 'refused_by_platform'),
    'platform answered 400',
    'ended_by_operator',
    'canceled_by_operator',
    'canceled_by_member',
  ])('say why a call ended as %s', (reason) => {
    expect(describeEndedReason(reason)).toMatch(/^[A-Z].*\.$/);
    expect(describeEndedReason(reason)).not.toMatch(/platform says/);
  });

  it("list a call's events by time", () => {
    const at = (second: number) => `2026-11-22T08:33:0${second}.000Z`;
    const attempt = { status_code: 200, error: null, is_asked: false };
    const callback = { webhook_id: 'msg_1', type: 'call.completed', created_at: at(1), next_attempt_at: null };
    const timeline = describeTimeline({
      ended_reason: 'customer-ended-call',
      attempts: 1,
      timeline: [
        { what: 'placed', at: at(0) },
        { what: 'ended', at: at(2) },
        { what: 'finished', at: at(6) },
      ],
      steps: [
        { step: 'note', state: 'written', at: at(7), id: '1', error: null },
        { step: 'ticket', state: 'failed', at: at(4), id: null, error: 'no' },
        { step: 'call_log', state: 'asked', at: at(5), id: null, error: null },
      ],
      callbacks: [
        {
          ...{ ...callback, state: 'delivered', asked_at: null },
          attempts: [
            { ...attempt, at: at(3), status_code: 503 },
            { ...attempt, at: at(8), is_asked: true },
            { ...attempt, at: at(9), status_code: null },
            { ...attempt, at: at(9), status_code: null, error: 'ECONNREFUSED' },
          ],
        },
      ],
    });
    expect(timeline.map(({ text }) => text)).toEqual([
      'Placed',
      'Ended',
      'Callback not delivered: Completed',
      'Help desk: ticket: failed',
      'All follow-up work finished',
      'CRM-B: note with the transcript',
      'Callback delivered: Completed',
      'Callback not delivered: Completed',
    ]);
    expect(timeline.filter(({ text }) => text.startsWith('Callback')).map(({ note }) => note)).toEqual([
      'answered 503',
      'sent manually, answered 200',
      'the server refused the connection (ECONNREFUSED)',
    ]);
    expect(new Set(timeline.map(({ key }) => key)).size).toBe(timeline.length);
  });

  it('list the end of a call before its follow-ups, even if the platform’s clock differs', () => {
    const at = (second: number) => `2026-11-22T08:33:0${second}.000Z`;
    const callback = (type: string, second: number) => ({
      ...{ webhook_id: type, type, created_at: at(second), next_attempt_at: null, state: 'delivered' as const },
      ...{ asked_at: null, attempts: [{ at: at(second), status_code: 200, error: null, is_asked: false }] },
    });
    const timeline = describeTimeline({
      ...{ ended_reason: null, attempts: 1 },
      timeline: [
        { what: 'placed', at: at(0) },
        { what: 'ended', at: at(9) },
        { what: 'analyzed', at: at(3) },
        { what: 'finished', at: at(6) },
      ],
      steps: [{ step: 'note', state: 'written', at: at(4), id: '1', error: null }],
      callbacks: [callback('call.in_progress', 1), callback('call.completed', 2), callback('call.analyzed', 5)],
    });
    expect(timeline.map(({ text }) => text)).toEqual([
      'Placed',
      'Callback delivered: In progress',
      'Ended',
      'Callback delivered: Completed',
      'Analyzed',
      'CRM-B: note with the transcript',
      'Callback delivered: Analysis',
      'All follow-up work finished',
    ]);
  });

  it('say which callbacks can be sent again, and when a request to send one seems lost', () => {
    const callbacks = (['failed', 'gone', 'delivered', 'superseded', 'pending'] as const).map((state) => ({
      ...{ webhook_id: state, type: 'call.completed', state, created_at: row.placed_at, next_attempt_at: null },
      ...{ asked_at: null, attempts: [] },
    }));
    expect(failedCallbacksOf({ callbacks }).map(({ webhook_id }) => webhook_id)).toEqual(['failed', 'gone']);
    const now = Date.parse('2026-11-22T08:40:00.000Z');
    expect([null, '2026-11-22T08:39:00.000Z', '2026-11-22T08:30:00.000Z'].map((at) => isBeingSent(at, now))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('say why CRM-B or the help desk is not up to date yet', () => {
    expect(describeOpenStep({ of: 'crm-b', error: 'CRM-B answered 503', next_at: null })).toBe(
      'CRM-B has not received all updates yet. The last attempt failed: CRM-B answered 503.',
    );
    expect(describeOpenStep({ of: 'help-desk', error: 'no consent.', next_at: row.placed_at })).toBe(
      'Help desk has not received all updates yet. The last attempt failed: no consent. Next attempt: 22 Nov 2026, 14:02 IST.',
    );
  });

  it('show a reason of a newer version unchanged', () => {
    expect(describeEndedReason('pipeline-error')).toBe('The voice platform says: pipeline-error');
    expect(describeEndedReason('constructor')).toContain('constructor');
  });

  it('name every fact, step and state of a callback', () => {
    expect(Object.keys(factWords)).toEqual([...callFacts]);
    expect(Object.keys(stepWords)).toEqual([...callSteps]);
    expect(Object.keys(callbackStates)).toEqual(callbackSchema.shape.state.options);
    expect([callbackName('call.analyzed'), callbackName('call.new')]).toEqual(['Analysis', 'call.new']);
  });

  it.each([
    [204, null, 'answered 204'],
    [null, null, 'no result yet'],
    [null, 'no answer in time', 'no answer in time'],
    [null, 'ECONNREFUSED', 'the server refused the connection (ECONNREFUSED)'],
    [null, 'name not resolved (ENOTFOUND)', 'the server name does not exist (ENOTFOUND)'],
    [null, 'CERT_HAS_EXPIRED', 'the server’s certificate has expired (CERT_HAS_EXPIRED)'],
    [null, 'ERR_NEW_ONE', 'ERR_NEW_ONE'],
  ])('name the result of a callback attempt: %s, %s', (status_code, error, words) => {
    expect(describeAttempt({ status_code, error })).toBe(words);
  });

  it('say why a call waits', () => {
    const until = '2026-11-22T08:32:11.000Z';
    expect(describeWait({ for: 'window', until })).toBe(
      'The call waits for its call window, until 22 Nov 2026, 14:02 IST.',
    );
    expect(describeWait({ for: 'line', until: null })).toBe('The call waits for a free line.');
  });

  it.each<[string, Partial<ShownCall>, (string | undefined)[]]>([
    [
      'is live',
      { duration: null, is_live: true },
      ['The transcript appears', 'The recording appears', 'The call is analyzed'],
    ],
    [
      'connected no person',
      { duration: 0 },
      ['There was no conversation.', 'There was no conversation to', 'There was nothing'],
    ],
    [
      'has just ended',
      { duration: 9, recording: { state: 'pending', error: null } },
      ['The voice platform sent no', 'The recording is being', 'There was nothing'],
    ],
    [
      'had trouble',
      {
        duration: 9,
        transcript: { state: 'unavailable', text: null, is_cut: false, lines: null },
        recording: { state: 'failed', error: null },
        analysis: { state: 'failed', is_cut: false, error: null, result: null },
      },
      ['The transcript cannot', 'The recording could not', 'The analysis failed'],
    ],
  ])('name the missing parts of a call that %s', (_what, over, starts) => {
    const nothing = { state: 'none' as const, text: null, is_cut: false, lines: null };
    const call = { ...row, transcript: nothing, recording: null, analysis: null, ...over } as ShownCall;
    const said = [whyNoTranscript(call), whyNoRecording(call), whyNoAnalysis(call)];
    expect(said.map((sentence, index) => sentence?.slice(0, starts[index]?.length))).toEqual(starts);
  });

  it('show fields as text', () => {
    expect([null, true, 4.5, 'x', ['a']].map(formatFieldValue)).toEqual(['–', 'yes', '4.5', 'x', '["a"]']);
  });

  it('group the digits of Indian numbers', () => {
    expect(['+919812345678', '+4930123456'].map(formatPhone)).toEqual(['+91 98123 45678', '+4930123456']);
  });
});

describe('the filters of the calls', () => {
  it('are read from the address, without invalid values', () => {
    const search = { status: 'busy', source: 'fax', callback: 'delivered', q: ' order-7 ', from: '2026-11-01', to: 7 };
    expect(readCallFilters(search)).toEqual({ status: 'busy', q: 'order-7', from: '2026-11-01' });
  });

  it.each(['2026-02-30', '2026-13-01', '2026-1-1', 'today'])('ignore %s, which is not a day', (from) => {
    expect(readCallFilters({ from })).toEqual({});
  });

  it('reach the page only if they are valid, because the router merges them with the address', () => {
    const search = { status: 'bogus', q: 'order-7', limit: '5000' };
    expect({ ...search, ...strictSearch(readCallFilters)(search) }).toEqual({
      status: undefined,
      q: 'order-7',
      limit: undefined,
    });
  });

  it('mean whole days in India', () => {
    expect(callsQuery({ assistant: 'asst_1', success: 'partial', from: '2026-11-01', to: '2026-11-01' })).toEqual({
      assistant_id: 'asst_1',
      success: 'partial',
      from: '2026-10-31T18:30:00.000Z',
      to: '2026-11-01T18:29:59.999Z',
    });
  });

  it.each([
    [{}, /^All calls, newest first\./],
    [{ phase: 'live' as const }, /^Live calls, newest first\./],
    [{ phase: 'scheduled' as const }, /^Scheduled calls, the next one first\./],
    [{ phase: 'scheduled' as const, q: 'x' }, /^All calls, newest first\./],
  ])('%j show calls in the order that the page names', (filters, order) => {
    expect(describeListedCalls(filters)).toMatch(order);
  });

  it('are named if no call matches', () => {
    expect(describeCallFilters({ status: 'no_answer', source: 'crm-b', q: 'x' })).toBe(
      'The filters: phone, lead, id or key “x”, status No answer, source CRM-B.',
    );
    expect(describeCallFilters({ assistant: 'asst_1', from: '2026-11-01', to: '2026-11-02' }, 'Asha')).toBe(
      'The filters: assistant Asha, from 1 Nov 2026, to 2 Nov 2026.',
    );
  });
});

it('the CSV file uses the words of the page, and no cell runs as a formula', () => {
  const [, line] = callsCsv([row]).split('\r\n');
  expect(line).toBe(
    '2026-11-22T08:32:11.000Z,"22 Nov 2026, 14:02 IST",\'+919812345678,\'=Asha,REST API,Completed,The person hung up.,125,3,Success,Failed,,,call_1',
  );
  const scheduled = callsCsv([{ ...row, scheduled_for: '2026-11-23T04:00:00.000Z' }]).split('\r\n');
  expect(scheduled[0]).toContain('Scheduled for (UTC),Scheduled for (India)');
  expect(scheduled[1]).toContain('2026-11-23T04:00:00.000Z,"23 Nov 2026, 09:30 IST"');
});

it('a transcript is split by speaker', () => {
  expect(parseTranscript('AI: Namaste: hello.\nUser: Yes,\nat 11:00 please.\n\nNoted')).toEqual([
    { who: 'AI', text: 'Namaste: hello.' },
    { who: 'User', text: 'Yes,\nat 11:00 please.\nNoted' },
  ]);
  expect(parseTranscript('<b>just text</b>')).toEqual([{ who: '', text: '<b>just text</b>' }]);
});

describe('who placed a call', () => {
  const lead = { crm: 'crm-b', connection_id: 'c', lead_id: 'lead/1', event: 'x', is_test: false, owner_id: null };
  type By = Parameters<typeof describePlacedBy>[0];
  const words = (placed_by: By['placed_by'], of: By['lead'] = null) => describePlacedBy({ placed_by, lead: of });
  const ofLead = (source: 'webhook' | 'retry', asked_by: string | null) =>
    words({ kind: 'lead', event_id: 'e', source, asked_by }, { ...lead, crm: 'crm-b', fields: {} });

  it('is named with a link, or omitted if unknown', () => {
    const key = { kind: 'key' as const, key_id: 'key_1', name: 'backend' };
    expect(words(key)).toEqual({ name: 'API key backend', href: '/developers/keys' });
    const member = { kind: 'member' as const, user_id: 'u1', name: 'Priya' };
    expect(words(member)).toEqual({ name: 'Priya, in the dashboard', href: undefined });
    const href = '/leads?ask=lead%2F1';
    expect(ofLead('webhook', null)).toEqual({ name: 'Lead event', href });
    expect(ofLead('retry', 'o@x.example')).toEqual({ name: 'Retry of a lead event, by o@x.example', href });
    expect(words(null)).toBeNull();
  });
});
