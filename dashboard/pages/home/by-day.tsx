import type { Overview, UsageDayView } from '../../../shared/messages/dashboard/overview.ts';
import { CreditChart } from '../../parts/chart/credit-chart.tsx';
import { DayChart } from '../../parts/chart/day-chart.tsx';
import { Card } from '../../parts/layout/card.tsx';
import {
  callsOfDays,
  creditsOfDays,
  daysInWords,
  outcomeSeries,
  paceInWords,
  whole,
} from '../../words/overview/overview.ts';
import { credits } from '../../words/times.ts';

/** Calls by outcome, per day. */
export function CallsByDay({ days }: { days: readonly UsageDayView[] }) {
  const summary = callsOfDays(days);
  return (
    <Card title="Calls by outcome" lead={summary}>
      <DayChart caption="Calls by outcome" series={outcomeSeries} rows={days} format={whole} summary={summary} />
    </Card>
  );
}

/** Credits charged per day. */
export function CreditsByDay({ days, credit }: { days: readonly UsageDayView[]; credit: Overview['credit'] }) {
  const left =
    credit && credit.pace !== null && credit.days_left !== null
      ? ` ${credits(credit.available)} are left: ${daysInWords(credit.days_left)} at ${paceInWords(credit.pace)}.`
      : '';
  return (
    <Card title="Credits per day" lead={`${creditsOfDays(days)}${left}`}>
      <CreditChart days={days} />
    </Card>
  );
}
