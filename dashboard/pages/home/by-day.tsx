import type { Overview, UsageDayView } from '../../../shared/messages/dashboard/overview.ts';
import { CreditChart } from '../../components/chart/credit-chart.tsx';
import { DayChart } from '../../components/chart/day-chart.tsx';
import { Card } from '../../components/layout/card.tsx';
import {
  formatDaysLeft,
  formatInteger,
  formatPace,
  outcomeSeries,
  summarizeCalls,
  summarizeCredits,
} from '../../words/overview/overview.ts';
import { formatCredits } from '../../words/times.ts';

/** Calls by outcome, per day. */
export function CallsByDay({ days }: { days: readonly UsageDayView[] }) {
  const summary = summarizeCalls(days);
  return (
    <Card title="Calls by outcome" lead={summary}>
      <DayChart
        caption="Calls by outcome"
        series={outcomeSeries}
        rows={days}
        format={formatInteger}
        summary={summary}
      />
    </Card>
  );
}

/** Credits charged per day. */
export function CreditsByDay({ days, credit }: { days: readonly UsageDayView[]; credit: Overview['credit'] }) {
  const left =
    credit && credit.pace !== null && credit.days_left !== null
      ? ` ${formatCredits(credit.available)} are left: ${formatDaysLeft(credit.days_left)} at ${formatPace(credit.pace)}.`
      : '';
  return (
    <Card title="Credits per day" lead={`${summarizeCredits(days)}${left}`}>
      <CreditChart days={days} />
    </Card>
  );
}
