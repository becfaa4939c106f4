import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isE164 } from './phone-number.ts';

/** Marks of the writing direction and the like, which come along when a number is copied out of a contact list. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * Reads a number as people and CRMs write it: `+91-98765 43210`, `(+91) 98765 43210`, `098765 43210`, `00919876543210`; of
 * two with a slash or a comma between, the first that can be read.
 * @param text anything. @param region two-letter country of numbers without a country code.
 * @returns it in E.164; undefined where it is not a possible number (libphonenumber: its length fits its country).
 */
export function toE164(text: string, region: string): string | undefined {
  for (const part of text.replace(INVISIBLE, '').split(/[/,;|]/)) {
    const bare = part.replace(/[()]/g, ' ').trim();
    const read = parse(bare, region);
    // 0919876543210: a country code behind a trunk prefix. As it stands it is possible, and nobody's.
    const better = read?.isValid() ? read : parse(bare.replace(/^0+/, '+'), region);
    const number = better?.isValid() ? better : read;
    if (number?.isPossible() && isE164(number.number)) return number.number;
  }
  return undefined;
}

const parse = (text: string, region: string) =>
  parsePhoneNumberFromString(text, { defaultCountry: region as CountryCode, extract: false });
