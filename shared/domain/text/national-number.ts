import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import { isE164 } from './phone-number.ts';

/** Marks of the writing direction and the like, which come along when a number is copied out of a contact list. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * Reads a number as people and CRMs write it: `+91-98765 43210`, `(+91) 98765 43210`, `098765 43210`, `00919876543210`.
 * @param text anything. @param region two-letter country of numbers without a country code.
 * @returns it in E.164; undefined where it is not a possible number (libphonenumber: its length fits its country).
 */
export function toE164(text: string, region: string): string | undefined {
  const bare = text.replace(INVISIBLE, '').replace(/[()]/g, ' ').trim();
  const read = parse(bare, region);
  const number = read?.isValid() ? read : (behindTrunkPrefix(bare, region) ?? read);
  return number?.isPossible() && isE164(number.number) ? number.number : undefined;
}

/** `0919876543210`: the region's country code behind its trunk prefix. As it stands it would be possible, and nobody's. */
function behindTrunkPrefix(bare: string, region: string) {
  if (!isSupportedCountry(region) || !bare.startsWith('0')) return undefined;
  const read = parse(bare.replace(/^0+/, '+'), region);
  return read?.isValid() && read.countryCallingCode === getCountryCallingCode(region) ? read : undefined;
}

/** @param phone E.164. @returns its digits without the country's, as people of that country write it behind a trunk prefix. */
export const nationalDigits = (phone: string): string =>
  parsePhoneNumberFromString(phone)?.nationalNumber ?? phone.slice(1);

const parse = (text: string, region: string) =>
  parsePhoneNumberFromString(text, { defaultCountry: region as CountryCode, extract: false });
