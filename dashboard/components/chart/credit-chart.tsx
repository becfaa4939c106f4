import type { UsageDayView } from '../../../shared/messages/dashboard/overview.ts';
import { summarizeCredits } from '../../words/overview/overview.ts';
import { formatCredits } from '../../words/times.ts';
import { DayChart } from './day-chart.tsx';

const series = [{ key: 'credits', name: 'Credits' }] as const;

/** Credits charged per day. */
export const CreditChart = ({ days }: { days: readonly UsageDayView[] }) => (
  <DayChart
    caption="Credits per day"
    series={series}
    rows={days}
    format={formatCredits}
    summary={summarizeCredits(days)}
  />
);
