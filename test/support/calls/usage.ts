import type { Call } from '../../../shared/domain/calls/call.ts';
import {
  sumOfUsage,
  type Usage,
  type UsageDay,
  usageOfAnalysis,
  usageOfEnd,
} from '../../../shared/domain/calls/usage/usage.ts';
import type { Shown } from '../../../shared/domain/newer-values.ts';
import type { LedgerEntry } from '../../../shared/domain/organizations/ledger-entry.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';

/** Computes the counters of the days from the calls. Assumes that no later analysis changed the first result. */
function usageOfCalls(calls: readonly Call[]): UsageDay[] {
  const ended = calls.filter(({ usage_day }) => usage_day !== undefined);
  const countsOf = (call: Call): Partial<Usage> => ({
    ...usageOfEnd({ ...(call as Required<Call>), status: call.status as 'completed' }),
    ...(call.analyzed_at &&
      usageOfAnalysis({ ...call, analyzed_at: undefined } as never, call.analysis?.result)?.counts),
  });
  return [...Map.groupBy(ended, ({ usage_day = '' }) => usage_day)]
    .map(([day, ofDay]) => ({ day, ...sumOfUsage(ofDay.map(countsOf)) }))
    .sort((one, other) => (one.day < other.day ? -1 : 1));
}

/** Expects the counters of an organization's days to equal its calls, and the units of each day to equal its ledger. */
export function expectUsage(
  usage: readonly UsageDay[],
  calls: readonly Call[],
  ledger: readonly Shown<LedgerEntry>[],
): void {
  expect(usage).toEqual(usageOfCalls(calls));
  const charged: Record<string, number> = {};
  for (const { kind, at, amount } of ledger)
    if (kind === 'settlement' && amount !== 0) {
      const day = istDay(new Date(at));
      charged[day] = (charged[day] ?? 0) - amount;
    }
  expect(Object.fromEntries(usage.filter(({ units }) => units > 0).map(({ day, units }) => [day, units]))).toEqual(
    charged,
  );
}
