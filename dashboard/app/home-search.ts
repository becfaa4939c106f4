import type { ConsentReturn } from '../words/consent.ts';
import { readConsentReturn } from './begun-consent.ts';

/** How many days the overview shows, as the address holds them. */
export const overviewRanges = ['7', '30', '90'] as const;
export type OverviewRange = (typeof overviewRanges)[number];

export const readRange = (value: unknown, usual: OverviewRange = '7'): OverviewRange =>
  overviewRanges.find((range) => range === value) ?? usual;

/** Reads the address of the first page: the days, unless they are the usual ones, and what a consent came to. */
export const readHomeSearch = (search: Readonly<Record<string, unknown>>): ConsentReturn & { days?: string } => ({
  ...readConsentReturn(search),
  ...(readRange(search.days) !== '7' && { days: readRange(search.days) }),
});
