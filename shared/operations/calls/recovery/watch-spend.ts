import { isUnusualSpend, usualHourOf } from '../../../domain/calls/usage/unusual-spend.ts';
import { latestDays, PACE_DAYS } from '../../../domain/calls/usage/usage-range.ts';
import type { Count } from '../../../domain/metric.ts';
import { toCredits } from '../../../domain/organizations/credit.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { UsageStore } from '../../../stores/calls/usage.ts';
import type { CreditLedger } from '../../../stores/organizations/credit-ledger.ts';

export type WatchSpendDeps = {
  usage: Pick<UsageStore, 'ofDays'>;
  ledger: Pick<CreditLedger, 'chargedSince'>;
  now: () => Date;
  count: Count;
  warn: (message: string, facts: object) => void;
};

const HOUR_MS = 3_600_000;

/**
 * Counts an organization that used far more credit in the last hour than usual (docs/tracing.md, "Unusual spend"). It
 * reads the ledger only if the days of that hour cost enough.
 */
export async function watchSpend(deps: WatchSpendDeps, orgId: string): Promise<void> {
  const now = deps.now();
  const hourAgo = new Date(now.getTime() - HOUR_MS);
  const [from = '', ...later] = latestDays(now, PACE_DAYS + 1);
  const days = await deps.usage.ofDays(orgId, { from, to: later.at(-1) ?? from });
  const usual = usualHourOf(days, now);
  const most = days.filter(({ day }) => day >= istDay(hourAgo)).reduce((sum, { units }) => sum + units, 0);
  if (!isUnusualSpend(most, usual)) return;
  const charged = await deps.ledger.chargedSince(orgId, hourAgo.toISOString());
  if (!isUnusualSpend(charged, usual)) return;
  deps.count('UnusualSpend');
  deps.warn('an organization uses unusually much credit', {
    org_id: orgId,
    credits_of_the_hour: toCredits(charged),
    credits_of_a_usual_hour: toCredits(usual),
  });
}
