import { destinationOf } from '../text/destination.ts';
import { canonicalE164 } from '../text/national-number.ts';
import type { Assistant } from './assistants/assistant.ts';
import { mayCallCountry } from './countries.ts';
import type { Organization } from './organization.ts';

type OfOrg = Pick<Organization, 'default_region' | 'countries'>;

/** The refusal of a number, in words for people. `country`: two letters, if it has one. */
export type DestinationRefusal = { country: string | undefined; message: string };

/**
 * Decides whether an organization may call a number (docs/call-lifecycle.md, "Allowed destinations"): only an ordinary
 * number of people and companies, in one of its countries.
 * @param phone canonical E.164 @returns why not; undefined if it may
 */
export function whyNotAllowed(org: OfOrg, phone: string): DestinationRefusal | undefined {
  const { country, isOrdinary } = destinationOf(phone);
  if (!isOrdinary || country === undefined) return { country, message: neverCalled(country) };
  if (mayCallCountry(org, country)) return undefined;
  return {
    country,
    message: `Numbers in ${countryName(country)} are not called for this organization. The operator can allow them.`,
  };
}

/**
 * Returns the canonical number to which the calls of an assistant are transferred; undefined if it has no number, or
 * one that the organization may not call, because a transfer rings a phone, too.
 */
export function transferNumberOf(
  org: OfOrg,
  { transfer_number }: Pick<Assistant, 'transfer_number'>,
): string | undefined {
  const number = transfer_number && canonicalE164(transfer_number);
  return number && whyNotAllowed(org, number) === undefined ? number : undefined;
}

/** Returns the units for a started minute of a call to a number. */
export const rateFor = ({ rate, rates }: Pick<Organization, 'rate' | 'rates'>, phone: string): number =>
  rates?.[destinationOf(phone).country ?? ''] ?? rate;

/** Names a country in words, such as "United Arab Emirates (AE)". */
const countryName = (country: string): string =>
  `${new Intl.DisplayNames('en', { type: 'region' }).of(country)} (${country})`;

const neverCalled = (country: string | undefined): string =>
  `This number${country === undefined ? '' : ` (${country})`} is never called: it is a premium-rate, shared-cost, ` +
  'personal, pager or satellite number, or was never assigned. The operator cannot allow it.';
