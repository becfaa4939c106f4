import { toCredits } from './credit.ts';
import type { Organization } from './organization.ts';

type Countries = Pick<Organization, 'default_region' | 'countries'>;

/**
 * Returns whether an organization may call a country. An organization from before the list existed may call every
 * country.
 */
export const mayCallCountry = ({ default_region, countries }: Countries, country: string): boolean =>
  countries === undefined || country === default_region || countries.includes(country);

/** Returns the countries that an organization may call, its own first; undefined for every country. */
export const allowedCountries = ({ default_region, countries }: Countries): string[] | undefined =>
  countries && [default_region, ...countries.filter((country) => country !== default_region)];

/**
 * Returns the list of countries after a change of the default region: the former region stays allowed.
 * @returns undefined if the list does not change
 */
export function countriesAfter(org: Countries, region: string | undefined): string[] | undefined {
  const { default_region: former, countries } = org;
  if (region === undefined || region === former || !countries || countries.includes(former)) return undefined;
  return [...countries, former];
}

/**
 * Returns the lowest and the highest units per started minute among the allowed countries.
 * @param org its `rate` applies in every country without a rate of its own (docs/call-lifecycle.md, "Allowed
 * destinations")
 */
export function rateRange({ rate, rates = {}, ...org }: Countries & Pick<Organization, 'rate' | 'rates'>): {
  least: number;
  most: number;
} {
  const ofCountries = allowedCountries(org)?.map((country) => rates[country] ?? rate);
  const all = ofCountries ?? [rate, ...Object.values(rates)];
  return { least: Math.min(...all), most: Math.max(...all) };
}

/** Converts rates to credits, by country. @param rates in units per started minute. */
export const ratesInCredits = (rates: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(rates).map(([country, rate]) => [country, toCredits(rate)]));
