import type { ConsentReturn } from '../../words/connections/consent.ts';
import { readConsentReturn } from './begun-consent.ts';

/** The number of days in the overview, as stored in the address. */
export const overviewRanges = ['7', '30', '90'] as const;
export type OverviewRange = (typeof overviewRanges)[number];

export const readRange = (value: unknown, fallback: OverviewRange = '7'): OverviewRange =>
  overviewRanges.find((range) => range === value) ?? fallback;

/** Reads the first page's address: the days, unless they are the default, and a consent's result. */
export const readHomeSearch = (search: Readonly<Record<string, unknown>>): ConsentReturn & { days?: string } => ({
  ...readConsentReturn(search),
  ...(readRange(search.days) !== '7' && { days: readRange(search.days) }),
});
