import { toE164 } from '../../../domain/text/national-number.ts';

export type ReadNumbers = {
  /** Distinct, in E.164. */
  phones: string[];
  /** How often a number came again. */
  duplicates: number;
  /** Positions of what is no phone number, from 0. */
  wrong: number[];
};

/** Reads numbers as people typed them. @param region the country of numbers without a country code. */
export function readNumbers(typed: readonly string[], region: string): ReadNumbers {
  const phones = new Set<string>();
  const wrong: number[] = [];
  typed.forEach((text, position) => {
    const phone = toE164(text.trim(), region);
    if (phone) phones.add(phone);
    else wrong.push(position);
  });
  return { phones: [...phones], duplicates: typed.length - wrong.length - phones.size, wrong };
}
