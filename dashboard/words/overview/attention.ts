import { brokenSentences, connectionNames } from '../../../shared/domain/connections/connection-words.ts';
import type { AttentionView } from '../../../shared/messages/dashboard/overview.ts';
import { formatCredits } from '../times.ts';
import { countedLeads } from './counted-leads.ts';
import { formatDaysLeft, pluralize } from './overview.ts';

type StoppedLeads = Extract<AttentionView, { kind: 'leads_not_called' }>;

const RETRY = 'See and retry';

const stoppedWords: Readonly<Record<StoppedLeads['outcome'], { why: string; action: string }>> = {
  insufficient_credits: { why: 'the credit did not cover the calls.', action: RETRY },
  crm_unavailable: { why: 'the CRM did not return them.', action: RETRY },
  assistant_missing: {
    why: 'the connection had no assistant. Edit them in the CRM to have them called.',
    action: 'See these leads',
  },
};

/** No retry helps before the new consent, which the connection's own item requests. */
const consentEnded = { why: 'the consent has ended.', action: 'See these leads' };

/** A task: the problem, the action that fixes it, and its place. */
export type AttentionItem = { sentence: string; action: string; to: string; tone: 'warn' | 'bad' };

/** @param daysLeft null if no credit is used, or if it is unknown */
export const describeAttention = (items: readonly AttentionView[], daysLeft: number | null): AttentionItem[] =>
  items.map((item) => describeAttentionItem(item, items, daysLeft));

function stoppedWordsFor({ outcome, connection_id }: StoppedLeads, items: readonly AttentionView[]) {
  const hasEnded = items.some(
    (other) =>
      other.kind === 'broken_connection' && other.status === 'needs_reconnect' && other.connection_id === connection_id,
  );
  return outcome === 'crm_unavailable' && hasEnded ? consentEnded : stoppedWords[outcome];
}

/** @param items the whole list: one item may explain another */
function describeAttentionItem(
  item: AttentionView,
  items: readonly AttentionView[],
  daysLeft: number | null,
): AttentionItem {
  switch (item.kind) {
    case 'suspended':
      return {
        sentence: 'Your organization is suspended: its calls are not dialed until the operator resumes it.',
        action: 'Organization',
        to: '/settings/organization',
        tone: 'bad',
      };
    case 'low_credit': {
      const pace = daysLeft === null ? '' : `, ${formatDaysLeft(daysLeft)} at this pace`;
      return {
        sentence: `Credit: ${formatCredits(item.available)} left${pace}.`,
        action: 'Credit',
        to: '/credit',
        tone: item.warn_below === null ? 'bad' : 'warn',
      };
    }
    case 'daily_limit':
      return {
        sentence: `Today’s limit of ${formatCredits(item.limit)} credits: today’s calls cost or may cost ${formatCredits(item.spent)}. Other calls wait.`,
        action: 'Credit',
        to: '/credit',
        tone: 'warn',
      };
    case 'broken_connection':
      return {
        sentence: `${connectionNames[item.type]}: ${brokenSentences[item.status]}`,
        action: item.status === 'needs_reconnect' ? 'Reconnect' : 'Open the connection',
        to: `/connections/${item.connection_id}`,
        tone: item.status === 'needs_reconnect' || item.status === 'unhealthy' ? 'bad' : 'warn',
      };
    case 'incomplete_connection':
      return {
        sentence:
          item.lacks === 'assistant'
            ? `${connectionNames[item.type]}: no lead is called, because it has no assistant.`
            : `${connectionNames[item.type]}: no lead is called, because no owner is chosen.`,
        action: item.lacks === 'assistant' ? 'Choose an assistant' : 'Choose an owner',
        to: `/connections/${item.connection_id}`,
        tone: 'warn',
      };
    case 'setting_without_effect':
      return {
        sentence: `${connectionNames[item.type]}: ${item.sentence}`,
        action: 'Open its settings',
        to: `/connections/${item.connection_id}`,
        tone: 'warn',
      };
    case 'leads_not_called': {
      const { why, action } = stoppedWordsFor(item, items);
      return {
        sentence: `${connectionNames[item.type]}: ${pluralize(item.leads, 'lead was', 'leads were')} not called since yesterday: ${why}`,
        action,
        to: countedLeads({ outcome: item.outcome, crm: item.type, from: item.since }),
        tone: 'warn',
      };
    }
    case 'waiting_call':
      return {
        sentence: 'A call has waited for a free line for more than 10 minutes.',
        action: 'See the call',
        to: `/calls/${item.call_id}`,
        tone: 'warn',
      };
    case 'failed_callbacks':
      return {
        sentence: `${item.calls} of the newest 200 calls ${item.calls === 1 ? 'has' : 'have'} failed callbacks.`,
        action: 'See them and send again',
        to: '/calls?callback=failed',
        tone: 'warn',
      };
  }
}
