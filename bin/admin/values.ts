import { toUnits } from '../../shared/domain/organizations/credit.ts';
import { canonicalE164, isRegion } from '../../shared/domain/text/national-number.ts';
import { isE164 } from '../../shared/domain/text/phone-number.ts';
import { Refusal } from './failures.ts';

const MAX_CREDITS = 1_000_000_000;

/** The value of a flag that removes a setting. */
export const NONE = 'none';

export const invalid = (message: string): Refusal => new Refusal('invalid_value', message);

/** @returns the text, trimmed. */
export function text(flag: string, value: string, longest = 200): string {
  const trimmed = value.trim();
  if (trimmed.length === 0 || trimmed.length > longest) throw invalid(`${flag} must have 1 to ${longest} characters.`);
  return trimmed;
}

export function wholeNumber(flag: string, value: string, { least, most }: { least: number; most: number }): number {
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= least && number <= most))
    throw invalid(`${flag} must be a whole number from ${least} to ${most}, not "${value}".`);
  return number;
}

/** @param value credits as a decimal number. @returns units. */
export function credits(flag: string, value: string, { mayBeNegative = false } = {}): number {
  const refusal = invalid(
    `${flag} must be a number of credits${mayBeNegative ? '' : ', 0 or more,'} with at most three decimals, not "${value}".`,
  );
  if (!/^-?\d+(\.\d+)?$/.test(value) || Math.abs(Number(value)) > MAX_CREDITS) throw refusal;
  if (Number(value) < 0 && !mayBeNegative) throw refusal;
  try {
    return toUnits(Number(value));
  } catch {
    throw refusal;
  }
}

/** @returns the two capital letters of a country that has phone numbers. */
export function country(flag: string, value: string): string {
  if (!/^[A-Z]{2}$/.test(value) || !isRegion(value))
    throw invalid(`${flag} must be two capital letters of a country, such as IN, not "${value}".`);
  return value;
}

export function oneOf<Value extends string>(flag: string, value: string, known: readonly Value[]): Value {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(`${flag} must be one of ${known.join(', ')}, not "${value}".`);
  return found;
}

/** @returns the distinct members of a comma-separated list. */
export const list = (value: string): string[] => [
  ...new Set(
    value
      .split(',')
      .map((member) => member.trim())
      .filter((member) => member !== ''),
  ),
];

/** @returns the numbers in canonical E.164 */
export function phoneNumbers(flag: string, value: string): string[] {
  const numbers = list(value);
  const wrong = numbers.find((number) => !isE164(number));
  if (wrong !== undefined)
    throw invalid(`${flag} must be comma-separated E.164 numbers such as +918012345678, not "${wrong}".`);
  return numbers.map(canonicalE164);
}

/** @returns the instant as ISO 8601 UTC. A zone is required: without one the result would depend on the machine. */
export function instant(flag: string, value: string): string {
  const hasZone = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(value);
  const time = hasZone ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw invalid(
      `${flag} must be an ISO 8601 instant with a time zone, such as 2026-01-31T09:30:00Z, not "${value}".`,
    );
  return new Date(time).toISOString();
}

/** @param source named in the message instead of the text, which may be a secret. */
export function json(source: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw invalid(`${source} is not JSON.`);
  }
}

export function jsonObject(source: string, content: string): object {
  const value = json(source, content);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${source} must be a JSON object.`);
  return value;
}
