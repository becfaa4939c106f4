import { readFile } from 'node:fs/promises';
import { toUnits } from '../../shared/domain/organizations/credit.ts';
import { isE164 } from '../../shared/domain/text/phone-number.ts';
import { Refusal } from './failures.ts';

const MOST_CREDITS = 1_000_000_000;

/** The word that takes a setting away. */
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
    `${flag} must be a number of credits ${mayBeNegative ? '' : 'from 0 '}with at most three decimals, not "${value}".`,
  );
  if (!/^-?\d+(\.\d+)?$/.test(value) || Math.abs(Number(value)) > MOST_CREDITS) throw refusal;
  if (Number(value) < 0 && !mayBeNegative) throw refusal;
  try {
    return toUnits(Number(value));
  } catch {
    throw refusal;
  }
}

export function oneOf<Value extends string>(flag: string, value: string, known: readonly Value[]): Value {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(`${flag} must be one of ${known.join(', ')}, not "${value}".`);
  return found;
}

/** @returns the members of a comma-separated list, each once. */
export const list = (value: string): string[] => [
  ...new Set(
    value
      .split(',')
      .map((member) => member.trim())
      .filter((member) => member !== ''),
  ),
];

export function phoneNumbers(flag: string, value: string): string[] {
  const numbers = list(value);
  const wrong = numbers.find((number) => !isE164(number));
  if (wrong !== undefined)
    throw invalid(`${flag} must be E.164 numbers such as +918012345678, comma-separated, not "${wrong}".`);
  return numbers;
}

/** @returns the instant as ISO 8601 UTC. A time without a zone would depend on the operator's machine. */
export function instant(flag: string, value: string): string {
  const isZoned = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(value);
  const time = isZoned ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time))
    throw invalid(`${flag} must be an ISO 8601 instant with its zone, such as 2026-01-31T09:30:00Z, not "${value}".`);
  return new Date(time).toISOString();
}

/** @param source where the text came from; the text itself is not repeated, because it may be a secret. */
export function json(source: string, content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw invalid(`${source} is not JSON.`);
  }
}

export const jsonFile = async (flag: string, path: string): Promise<unknown> =>
  json(`${flag} ${path}`, (await fileContent(flag, path)).toString('utf8'));

/** @throws Refusal invalid_value where it cannot be read. */
export const fileContent = (flag: string, path: string): Promise<Buffer> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${flag} ${path} cannot be read (${error.code}).`);
  });
