import { readCreditSearch } from '../../../dashboard/app/url/credit-search.ts';
import { outcomeWords } from '../../../dashboard/words/leads/outcomes.ts';
import { type AttentionItem, describeAttention } from '../../../dashboard/words/overview/attention.ts';
import {
  describeLowCredit,
  formatDaysLeft,
  formatPace,
  formatPercent,
  formatTimeAgo,
  sumUsage,
} from '../../../dashboard/words/overview/overview.ts';
import { isRetryable } from '../../../shared/domain/connections/activity.ts';
import { stoppedOutcomes } from '../../../shared/domain/overview/attention.ts';
import type { AttentionView } from '../../../shared/messages/dashboard/overview.ts';

const describeItem = (item: AttentionView, daysLeft: number | null) =>
  describeAttention([item], daysLeft)[0] as AttentionItem;
const crmB = { connection_id: 'conn_1', type: 'crm-b' as const };
const items: [AttentionView, to: string, sentence: RegExp][] = [
  [{ kind: 'suspended' }, '/settings/organization', /suspended/],
  [{ kind: 'low_credit', available: 42, warn_below: 100 }, '/credit', /42 left, about 3 days at this pace/],
  [{ kind: 'broken_connection', ...crmB, status: 'silent', reason: 'x' }, '/connections/conn_1', /^CRM-B: /],
  [{ kind: 'incomplete_connection', ...crmB, lacks: 'owner' }, '/connections/conn_1', /no owner is chosen/],
  [{ kind: 'setting_without_effect', ...crmB, sentence: 'Half a window.' }, '/connections/conn_1', /Half a window/],
  [
    { kind: 'leads_not_called', ...crmB, outcome: 'insufficient_credits', leads: 2, since: '2026-03-01' },
    '/leads?outcome=insufficient_credits&crm=crm-b&from=2026-03-01&tests=none',
    /^CRM-B: 2 leads were not called since yesterday/,
  ],
  [
    { kind: 'leads_not_called', ...crmB, outcome: 'assistant_missing', leads: 1, since: '2026-03-01' },
    '/leads?outcome=assistant_missing&crm=crm-b&from=2026-03-01&tests=none',
    /had no assistant\. Edit them in the CRM to have them called\.$/,
  ],
  [{ kind: 'daily_limit', limit: 500, spent: 495 }, '/credit', /limit of 500 credits/],
  [{ kind: 'waiting_call', call_id: 'call_1' }, '/calls/call_1', /10 minutes/],
  [
    { kind: 'failed_callbacks', calls: 1 },
    '/calls?callback=failed',
    /^1 of the newest 200 calls has failed callbacks\.$/,
  ],
];

describe('a warning of the overview', () => {
  it.each(items)('is a sentence with a link to its fix: %j', (item, to, sentence) => {
    const need = describeItem(item, 3.7);
    expect(need.to).toBe(to);
    expect(need.sentence).toMatch(sentence);
    expect(need.sentence).toMatch(/^[A-Z0-9].*\.$/);
    expect(need.action).toMatch(/^[A-Z]/);
  });
});

it('warns of low credit in one sentence, with a threshold and without one', () => {
  const low = (warn_below: number | null) => describeLowCredit([{ kind: 'low_credit', available: 0.5, warn_below }]);
  expect([low(60), low(null), describeLowCredit([{ kind: 'suspended' }]), describeLowCredit(undefined)]).toEqual([
    'Less than 60 credits are left.',
    'The credit does not cover one more minute.',
    undefined,
    undefined,
  ]);
});

it('the address contains the days of the credit chart only if they differ from the default', () => {
  const read = [{ days: '90', from: '2026-03-01' }, { days: '30' }, { days: 'all' }].map(readCreditSearch);
  expect(read).toEqual([{ days: '90', from: '2026-03-01' }, {}, {}]);
});

it('offers a retry only for leads that can be retried', () => {
  const actions = stoppedOutcomes.map((outcome) => {
    const item = { kind: 'leads_not_called', ...crmB, outcome, leads: 2, since: '2026-03-01' } as const;
    return [outcome, describeItem(item, null).action.includes('retry')];
  });
  expect(actions).toEqual(stoppedOutcomes.map((outcome) => [outcome, isRetryable(outcome)]));
});

it('names an ended consent as the reason for leads that were not called, without offering a retry', () => {
  const notCalled = {
    kind: 'leads_not_called',
    ...crmB,
    outcome: 'crm_unavailable',
    leads: 2,
    since: '2026-03-01',
  } as const;
  const ended = { kind: 'broken_connection', ...crmB, status: 'needs_reconnect', reason: 'invalid_code' } as const;
  const wordsWith = (...others: AttentionView[]) => {
    const { sentence, action } = describeAttention([notCalled, ...others], null)[0] as AttentionItem;
    return [sentence.split(': ').at(-1), action];
  };
  const refused = ['the CRM did not return them.', 'See and retry'];
  expect(wordsWith(ended)).toEqual(['the consent has ended.', 'See these leads']);
  expect(wordsWith()).toEqual(refused);
  expect(wordsWith({ ...ended, status: 'unhealthy' }, { ...ended, connection_id: 'conn_2' })).toEqual(refused);
  expect(outcomeWords.crm_unavailable.name).toBe('Not returned by CRM');
});

describe('the words of the overview', () => {
  const day = { day: '2026-03-02', transferred: 1, no_answer: 3, busy: 1, seconds: 0, partial: 0, failure: 0 };

  it('sum up days, with the answered share of calls not canceled and the successful share of answered calls', () => {
    const one = { ...day, completed: 4, failed: 1, canceled: 2, credits: 0.1, success: 2 };
    expect(sumUsage([one, { ...one, credits: 0.2 }])).toEqual({
      calls: 24,
      answeredShare: 0.5,
      successes: 4,
      successShare: 0.4,
      credits: 0.3,
    });
    expect(sumUsage([])).toMatchObject({ calls: 0, answeredShare: undefined, successShare: undefined });
    expect([formatPercent(0.714), formatPercent(undefined)]).toEqual(['71 %', '–']);
  });

  it('round estimates', () => {
    expect([0.4, 1.2, 11.01, 400].map(formatDaysLeft)).toEqual([
      'less than a day',
      'about 1 day',
      'about 11 days',
      'more than a year',
    ]);
    expect([0.25, 1, 126.933].map(formatPace)).toEqual(['0.3 credits a day', '1 credit a day', '127 credits a day']);
    const now = '2026-03-02T12:00:00.000Z';
    const times = ['2026-03-02T11:59:30.000Z', '2026-03-02T11:58:00.000Z', '2026-03-02T09:00:00.000Z'];
    expect(times.map((at) => formatTimeAgo(at, now))).toEqual(['just now', '2 min ago', '3 h ago']);
  });
});
