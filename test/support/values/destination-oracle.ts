import { type NumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/metadata.max.json';
import { destinationOf } from '../../../shared/domain/text/destination.ts';
import { canonicalE164 } from '../../../shared/domain/text/national-number.ts';
import { isE164 } from '../../../shared/domain/text/phone-number.ts';

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

/** The patterns of the national numbers of all countries, by type, and of numbers without a type. */
const patterns: readonly { code: string; source: string }[] = [
  ...Object.values(metadata.countries),
  ...Object.values(metadata.nonGeographic ?? {}),
].flatMap((row: readonly unknown[]) => {
  const types = ((row[TYPES] ?? []) as readonly ([string] | 0)[]).flatMap((type) => (type ? [type[0]] : []));
  return [String(row[GENERAL]), ...types].filter(Boolean).map((source) => ({ code: String(row[0]), source }));
});
const callingCodes = [...new Set(patterns.map(({ code }) => code))];

type Random = () => number;
type Make = (random: Random) => string;

const below = (count: number, random: Random): number => Math.floor(random() * count);
const oneOf = <T>(things: readonly T[], random: Random): T => things[below(things.length, random)] as T;

/** Reads a pattern of digits, sets, groups, alternatives and repetitions. @returns a generator of matching texts */
function maker(source: string): Make {
  let at = 0;
  const one = (): Make => {
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
    return digits.length === 1 ? () => digits : (random) => digits[below(digits.length, random)] ?? '';
  };
  const times = (): Make => {
    const made = one();
    const [text = '', optional, least, most = least] = /^(?:(\?)|\{(\d+)(?:,(\d+))?\})/.exec(source.slice(at)) ?? [];
    at += text.length;
    if (text === '') return made;
    const [fewest, range] = optional ? [0, 2] : [Number(least), Number(most) - Number(least) + 1];
    return (random) => {
      let all = '';
      for (let left = fewest + below(range, random); left > 0; left -= 1) all += made(random);
      return all;
    };
  };
  const any = (): Make => {
    const choices: Make[] = [];
    for (;;) {
      const parts: Make[] = [];
      while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(times());
      choices.push((random) => {
        let all = '';
        for (const part of parts) all += part(random);
        return all;
      });
      if (source[at] !== '|')
        return choices.length === 1 && choices[0] ? choices[0] : (random) => oneOf(choices, random)(random);
      at += 1;
    }
  };
  return any();
}

const makers = patterns.map(({ code, source }) => ({ code, national: maker(source) }));

/**
 * Creates a number of any country: one that matches a type, such a number with another digit, or any digits after a
 * calling code. It may have a trunk prefix after the calling code.
 */
export function anyNumber(random: Random): string {
  for (;;) {
    const kind = below(4, random);
    let number = '+';
    if (kind === 1) {
      number += oneOf(callingCodes, random);
      for (let left = 4 + below(11, random); left > 0; left -= 1) number += below(10, random);
    } else {
      const { code, national } = oneOf(makers, random);
      const digits = national(random);
      const changed = kind === 0 ? below(digits.length, random) : digits.length;
      number += code + digits.slice(0, changed) + (kind === 0 ? below(10, random) : '') + digits.slice(changed + 1);
    }
    if (isE164(number)) return number;
  }
}

/** Canada's short numbers, which are also the beginnings of longer ones. They ring only within Canada. */
const SHORT_OF_CANADA = /^\+1310\d{4}$/;

/**
 * Compares the rule with libphonenumber's full metadata. The metadata are read only for a number that the rule accepts,
 * because they are much slower than the rule.
 * @param phone any spelling in E.164. Callers of the rule use the canonical spelling, so another spelling is not wrong.
 * @returns whether the rule accepts a number that must not be called, or that belongs to another country
 */
export function passesWrongly(phone: string): boolean {
  const { country, isOrdinary } = destinationOf(phone);
  if (!isOrdinary) return false;
  const read = parsePhoneNumberFromString(phone);
  const isRight = read?.number === phone && ordinary.includes(read.getType()) && read.country === country;
  return !isRight && canonicalE164(phone) === phone;
}

/** Compares like `passesWrongly`. @returns whether the rule refuses a number that may be called */
export function refusedWrongly(phone: string): boolean {
  if (destinationOf(phone).isOrdinary || SHORT_OF_CANADA.test(phone)) return false;
  const read = parsePhoneNumberFromString(phone);
  const isKnown = read?.number === phone && read.country !== undefined && ordinary.includes(read.getType());
  return isKnown && canonicalE164(phone) === phone;
}
