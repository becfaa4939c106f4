import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';
import { destinationOf } from '../../shared/domain/text/destination.ts';
import { canonicalE164 } from '../../shared/domain/text/national-number.ts';
import { isE164 } from '../../shared/domain/text/phone-number.ts';

/** The types of numbers that may be called. */
const ordinary: readonly (NumberType | undefined)[] = [
  'FIXED_LINE',
  'MOBILE',
  'FIXED_LINE_OR_MOBILE',
  'TOLL_FREE',
  'UAN',
  'VOIP',
];

const GENERAL = 2;
const TYPES = 11;

/** The patterns of the national numbers of all countries, by type, and of the numbers that belong to none. */
const patterns: readonly { code: string; source: string }[] = [
  ...Object.values(metadata.countries),
  ...Object.values(metadata.nonGeographic ?? {}),
].flatMap((row: readonly unknown[]) => {
  const types = ((row[TYPES] ?? []) as readonly ([string] | 0)[]).flatMap((type) => (type ? [type[0]] : []));
  return [String(row[GENERAL]), ...types].filter(Boolean).map((source) => ({ code: String(row[0]), source }));
});
const callingCodes = [...new Set(patterns.map(({ code }) => code))];

/** Makes a text that matches a pattern of digits, sets, groups, alternatives and repetitions. */
function matching(source: string, random: () => number): string {
  const below = (count: number) => Math.floor(random() * count);
  let at = 0;
  const one = (): string => {
    if (source[at] === '(') {
      at += source.startsWith('(?:', at) ? 3 : 1;
      const inside = any();
      at += 1;
      return inside;
    }
    const [text = '', set] = /^(?:\\d|\d|\[([^\]]+)\])/.exec(source.slice(at)) ?? [];
    at += text.length;
    const digits = (set ?? text)
      .replace('\\d', '0-9')
      .replace(/(\d)-(\d)/g, (_, first, last) => '0123456789'.slice(Number(first), Number(last) + 1));
    return digits[below(digits.length)] ?? '';
  };
  const times = (): string => {
    const begins = at;
    let made = [one()];
    const [text = '', optional, least, most = least] = /^(?:(\?)|\{(\d+)(?:,(\d+))?\})/.exec(source.slice(at)) ?? [];
    const after = at + text.length;
    const count = optional ? below(2) : Number(least ?? 1) + below(Number(most ?? 1) - Number(least ?? 1) + 1);
    if (count === 0) made = [];
    while (made.length < count) {
      at = begins;
      made.push(one());
    }
    at = after;
    return made.join('');
  };
  const any = (): string => {
    const choices = [];
    for (;;) {
      let all = '';
      while (at < source.length && source[at] !== '|' && source[at] !== ')') all += times();
      choices.push(all);
      if (source[at] !== '|') return choices[below(choices.length)] ?? '';
      at += 1;
    }
  };
  return any();
}

/**
 * Makes a number of any country: one that matches a type, such a number with another digit, or any digits behind a
 * calling code. @returns its one spelling, as callers of the rule have it.
 */
export function anyNumber(random: () => number): string {
  const below = (count: number) => Math.floor(random() * count);
  for (;;) {
    const kind = below(4);
    const { code, source } = patterns[below(patterns.length)] as (typeof patterns)[number];
    let national = matching(source, random);
    if (kind === 0) national = national.slice(0, below(national.length)) + below(10) + national.slice(1);
    const digits = Array.from({ length: 4 + below(11) }, () => below(10)).join('');
    const number = kind === 1 ? `+${callingCodes[below(callingCodes.length)]}${digits}` : `+${code}${national}`;
    if (isE164(number)) return canonicalE164(number);
  }
}

/** Numbers of no country of their own beside others that begin alike, which only ring within the country. */
const SHORT_OF_CANADA = /^\+1310\d{4}$/;

/**
 * Compares the rule with libphonenumber's full metadata.
 * @returns what is wrong: `passes`, a number that must not be called, or one of another country; `refused`, one that
 * may be called
 */
export function wrongAbout(number: string): 'passes' | 'refused' | undefined {
  const { country, isOrdinary } = destinationOf(number);
  const read = parsePhoneNumberFromString(number);
  const isKnown = read?.number === number && read.isValid() && ordinary.includes(read.getType());
  if (isOrdinary) return isKnown && read.country === country ? undefined : 'passes';
  return isKnown && read.country !== undefined && !SHORT_OF_CANADA.test(number) ? 'refused' : undefined;
}
