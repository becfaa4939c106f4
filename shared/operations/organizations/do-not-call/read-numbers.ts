import { toE164 } from '../../../domain/text/national-number.ts';

export type ReadNumbers = {
  /** Distinct, in E.164. */
  phones: string[];
  /** The number of repetitions. */
  duplicates: number;
  /** Positions of texts that are not phone numbers, from 0. */
  wrong: number[];
  /** The number in each text, by position; undefined if it is not a phone number. */
  numbers: (string | undefined)[];
};

/** Reads numbers as people typed them. @param region the country of numbers without a country code. */
export function readNumbers(typed: readonly string[], region: string): ReadNumbers {
  const numbers = typed.map((text) => toE164(text.trim(), region));
  const right = numbers.filter((number) => number !== undefined);
  const phones = [...new Set(right)];
  const wrong = numbers.flatMap((number, position) => (number === undefined ? [position] : []));
  return { phones, duplicates: right.length - phones.length, wrong, numbers };
}
