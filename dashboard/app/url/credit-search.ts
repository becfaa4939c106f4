import { type DayRange, readDayRange } from './day-range.ts';
import { type OverviewRange, readRange } from './home-search.ts';

/** The chart's default number of days. */
const DEFAULT_DAYS = '30';

/** The state in the credit page's address: the days of the ledger, and the number of days in the chart. */
export type CreditSearch = DayRange & { days?: OverviewRange };

/** Reads the address; ignores invalid values. */
export function readCreditSearch(search: Readonly<Record<string, unknown>>): CreditSearch {
  const days = daysOfChart(search);
  return { ...readDayRange(search), ...(days !== DEFAULT_DAYS && { days }) };
}

/** @returns the number of days in the chart */
export const daysOfChart = ({ days }: { days?: unknown }): OverviewRange => readRange(days, DEFAULT_DAYS);
