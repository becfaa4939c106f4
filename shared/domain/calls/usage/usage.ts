import { type AnalysisResult, successEvals } from '../analysis.ts';
import type { Call } from '../call.ts';
import { type TerminalStatus, terminalStatuses } from '../call-status.ts';
import type { Ending } from '../ending.ts';

/** The counts that an end adds: the calls by their last status, seconds of connected time, and units of credit. */
export const endCounters = [...terminalStatuses, 'seconds', 'units'] as const;

const analysisCounter = (success: AnalysisResult['success_eval']) => `analyzed_${success}` as const;

/** The counts that a call's first analysis adds. Later ones add nothing. */
export const analysisCounters = successEvals.map(analysisCounter);

const usageCounters = [...endCounters, ...analysisCounters] as const;

/** Counters of an organization's calls. */
export type Usage = Record<(typeof usageCounters)[number], number>;

/** The counters of an IST day. */
export type UsageDay = Usage & { day: string };

/** Returns the sums of all counters. Absent ones count as zero. */
export function sumOfUsage(all: readonly Partial<Usage>[]): Usage {
  const sum = Object.fromEntries(usageCounters.map((name) => [name, 0])) as Usage;
  for (const one of all) for (const name of usageCounters) sum[name] += one[name] ?? 0;
  return sum;
}

/** Returns the counts of a call's end. @param end.cost units */
export const usageOfEnd = ({ status, duration, cost }: Ending & { cost: number }): Partial<Usage> => ({
  [status satisfies TerminalStatus]: 1,
  ...(duration > 0 && { seconds: duration }),
  ...(cost > 0 && { units: cost }),
});

/**
 * Returns an analysis's counts and their day, which is the day of the call's end, so that a day's successes are among
 * its calls.
 * @param call as read. @returns undefined for a later analysis, and for a call whose end was not counted.
 */
export function usageOfAnalysis(
  { analyzed_at, usage_day }: Pick<Call, 'analyzed_at' | 'usage_day'>,
  result: Pick<AnalysisResult, 'success_eval'> | undefined,
): { day: string; counts: Partial<Usage> } | undefined {
  if (analyzed_at !== undefined || usage_day === undefined || result === undefined) return undefined;
  return { day: usage_day, counts: { [analysisCounter(result.success_eval)]: 1 } };
}
