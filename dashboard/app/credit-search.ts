import { type DayRange, readDayRange } from './day-range.ts';
import { type OverviewRange, readRange } from './home-search.ts';

/** How many days the chart shows usually. */
const USUAL = '30';

/** What the address of the credit holds: the days of the ledger, and how many the chart shows. */
export type CreditSearch = DayRange & { days?: OverviewRange };

/** Reads the address; what cannot be used is left out. */
export function readCreditSearch(search: Readonly<Record<string, unknown>>): CreditSearch {
  const days = daysOfChart(search);
  return { ...readDayRange(search), ...(days !== USUAL && { days }) };
}

/** @returns how many days the chart shows */
export const daysOfChart = ({ days }: { days?: unknown }): OverviewRange => readRange(days, USUAL);
