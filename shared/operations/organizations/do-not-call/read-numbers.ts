import { toE164 } from '../../../domain/text/national-number.ts';

export type ReadNumbers = {
  /** Distinct, in E.164. */
  phones: string[];
  /** How often a number came again. */
  duplicates: number;
  /** Positions of what is no phone number, from 0. */
  wrong: number[];
  /** What each text stands for, by position; undefined for what is no phone number. */
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
