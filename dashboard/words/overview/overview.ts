import type { AttentionView, Overview, UsageDayView } from '../../../shared/messages/dashboard/overview.ts';
import { formatCredits } from '../times.ts';

export const pluralize = (number: number, one: string, many: string): string =>
  `${number.toLocaleString('en-IN')} ${number === 1 ? one : many}`;

/** "about 11 days", "less than a day": how long the credit lasts. */
export const formatDaysLeft = (days: number): string => {
  const whole = Math.floor(days);
  if (whole === 0) return 'less than a day';
  return whole > 365 ? 'more than a year' : `about ${pluralize(whole, 'day', 'days')}`;
};

/** "127 credits a day": rounded to whole credits, unless there are few. */
export const formatPace = (pace: number): string => {
  const rounded = pace >= 10 ? Math.round(pace) : Math.round(pace * 10) / 10;
  return `${formatCredits(rounded)} ${rounded === 1 ? 'credit' : 'credits'} a day`;
};

/** @returns the bell's text for an empty list, which may be incomplete if a part could not be read */
export function describeNoAttention(overview: Pick<Overview, 'unread'> | undefined): string {
  if (!overview) return 'Still checking for problems';
  return overview.unread.length === 0 ? 'Nothing needs you' : 'Some checks are not possible right now';
}

/** The outcomes of calls, as a chart stacks them. */
export const outcomeSeries = [
  { key: 'completed', name: 'Completed' },
  { key: 'transferred', name: 'Transferred' },
  { key: 'no_answer', name: 'No answer' },
  { key: 'busy', name: 'Busy' },
  { key: 'failed', name: 'Failed' },
  { key: 'canceled', name: 'Canceled' },
] as const;

export type Totals = {
  calls: number;
  /** Share of the calls that were not canceled. */
  answeredShare: number | undefined;
  successes: number;
  /** Share of the answered calls. */
  successShare: number | undefined;
  credits: number;
};

/** Sums days of usage. */
export function sumUsage(days: readonly UsageDayView[]): Totals {
  const sum = (of: (day: UsageDayView) => number) => days.reduce((total, day) => total + of(day), 0);
  const answered = sum(({ completed, transferred }) => completed + transferred);
  const canceled = sum((day) => day.canceled);
  const calls = answered + canceled + sum(({ no_answer, busy, failed }) => no_answer + busy + failed);
  const successes = sum(({ success }) => success);
  return {
    calls,
    answeredShare: calls > canceled ? answered / (calls - canceled) : undefined,
    successes,
    successShare: answered > 0 ? successes / answered : undefined,
    // Removes the error of the floating-point sum: credits have three decimals at most.
    credits: Math.round(sum((day) => day.credits) * 1000) / 1000,
  };
}

/** "31 calls in 7 days: 66 % answered, 11 successful (58 % of those answered)." */
export function summarizeCalls(days: readonly UsageDayView[]): string {
  const { calls, answeredShare, successes, successShare } = sumUsage(days);
  if (calls === 0) return `No call in ${days.length} days.`;
  const all = `${pluralize(calls, 'call', 'calls')} in ${days.length} days`;
  if (answeredShare === undefined) return `${all}, all of them canceled.`;
  const successful =
    successShare === undefined
      ? ''
      : `, ${formatInteger(successes)} successful (${formatPercent(successShare)} of those answered)`;
  return `${all}: ${formatPercent(answeredShare)} answered${successful}.`;
}

/** "96 credits in 7 days." */
export function summarizeCredits(days: readonly UsageDayView[]): string {
  const { credits: sum } = sumUsage(days);
  if (sum === 0) return `No credits charged in ${days.length} days.`;
  return `${formatCredits(sum)} ${sum === 1 ? 'credit' : 'credits'} in ${days.length} days.`;
}

/** "71 %", or a dash if the divisor is zero. */
export const formatPercent = (share: number | undefined): string =>
  share === undefined ? '–' : `${Math.round(share * 100)} %`;

export const formatInteger = (number: number): string => number.toLocaleString('en-IN');

/** "12", or "200+" if not all were counted. */
export const formatCount = ({ count: number, is_cut }: { count: number; is_cut: boolean }): string =>
  `${formatInteger(number)}${is_cut ? '+' : ''}`;

/** "just now", "2 min ago", "3 h ago", "5 days ago" */
export function formatTimeAgo(at: string, now: string): string {
  const minutes = Math.floor((Date.parse(now) - Date.parse(at)) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** @returns that the credit is low, as a sentence; undefined if it is not, or if that is unknown */
export function describeLowCredit(attention: readonly AttentionView[] | undefined): string | undefined {
  const low = attention?.find(({ kind }) => kind === 'low_credit');
  if (low?.kind !== 'low_credit') return undefined;
  return low.warn_below === null
    ? 'The credit does not cover one more minute.'
    : `Less than ${formatCredits(low.warn_below)} credits are left.`;
}

/** Returns whether the credit needs attention. */
export const isCreditLow = (attention: readonly AttentionView[] | undefined): boolean =>
  attention?.some(({ kind }) => kind === 'low_credit') ?? false;
