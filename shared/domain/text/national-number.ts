import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import { isE164 } from './phone-number.ts';

/** Brackets, and invisible characters, such as direction marks, that numbers copied from a contact list contain. */
const IGNORED = /[()\p{Cf}]/gu;

/**
 * Reads a number as people and CRMs write it: `+91-98765 43210`, `(+91) 98765 43210`, `098765 43210`, `00919876543210`.
 * @param region two-letter country of numbers without a country code
 * @returns the number in canonical E.164; undefined if its length is not possible for its country (libphonenumber)
 */
export function toE164(text: string, region: string): string | undefined {
  const bare = text.replace(IGNORED, '').trim();
  const read = parse(bare, region);
  const number = read?.isValid() ? read : (behindTrunkPrefix(bare, region) ?? read);
  return number?.isPossible() && isE164(number.number) ? canonicalE164(number.number) : undefined;
}

/**
 * Yields the numbers of a field, in E.164. A field may contain two, but a slash may also be part of one number, so the
 * whole text is tried first.
 * @param region of numbers without a country code
 */
export function* numbersIn(text: string, region: string): Generator<string> {
  for (const candidate of new Set([text, ...text.split(/[/,;|]/)])) {
    const number = toE164(candidate, region);
    if (number) yield number;
  }
}

/**
 * Returns the canonical spelling of an E.164 number, so that lists, claims and calls compare equal: without the trunk
 * prefix that some people write after the country code (`+91 098765 43210` rings `+91 98765 43210`).
 */
export function canonicalE164(phone: string): string {
  const shorter = parsePhoneNumberFromString(phone)?.number;
  return isE164(shorter) && shorter !== phone ? canonicalE164(shorter) : phone;
}

/** Returns whether these two letters are a country that has phone numbers. */
export const isRegion = (region: string): boolean => isSupportedCountry(region);

/**
 * Reads the region's country code after a trunk prefix: `0919876543210` has a possible length as written, but no such
 * number is assigned.
 */
function behindTrunkPrefix(bare: string, region: string) {
  if (!isSupportedCountry(region)) return undefined;
  const read = parse(bare.replace(/^0+/, '+'), region);
  return read?.isValid() && read.countryCallingCode === getCountryCallingCode(region) ? read : undefined;
}

/** Returns the digits of an E.164 number without the country code, as people write it after a trunk prefix. */
export const nationalDigits = (phone: string): string =>
  parsePhoneNumberFromString(phone)?.nationalNumber ?? phone.slice(1);

/**
 * Returns the possible beginnings in E.164 of a number whose first digits people typed without a plus sign, the
 * likeliest first: as a number of the region, with or without the trunk prefix, or with a country code.
 */
export function prefixesOf(typed: string, region: string): string[] {
  const digits = typed.replace(/\D/g, '');
  const behindTrunk = digits.replace(/^0+/, '');
  const whole = toE164(digits, region);
  const ofRegion =
    behindTrunk !== '' && isSupportedCountry(region) ? [`+${getCountryCallingCode(region)}${behindTrunk}`] : [];
  return [...new Set([...(whole ? [whole] : []), ...ofRegion, `+${digits}`])];
}

const parse = (text: string, region: string) =>
  parsePhoneNumberFromString(text, { defaultCountry: region as CountryCode, extract: false });
