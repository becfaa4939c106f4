import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isE164 } from './phone-number.ts';

/** Marks of the writing direction and the like, which come along when a number is copied out of a contact list. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * Reads a number as people and CRMs write it: `+91-98765 43210`, `098765 43210`, `00919876543210`.
 * @param text anything. @param region two-letter country of numbers without a country code.
 * @returns it in E.164; undefined where it is not a possible number (libphonenumber: its length fits its country).
 */
export function toE164(text: string, region: string): string | undefined {
  const read = parsePhoneNumberFromString(text.replace(INVISIBLE, ''), {
    defaultCountry: region as CountryCode,
    extract: false,
  });
  return read?.isPossible() && isE164(read.number) ? read.number : undefined;
}
