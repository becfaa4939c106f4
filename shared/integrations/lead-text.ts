import { plainText } from '../domain/text/plain-text.ts';

/** The limits of a lead's texts in queues and tables, in characters. */
export const longest = { id: 200, phone: 80, name: 80, value: 500 } as const;

const MAX_FIELDS = 100;
/** The call stores the fields, together with its analysis and its ticket, in an item of 400 KB at most. */
const MAX_BYTES = 64 * 1024;
const MAX_KEYS = 200;
const FEWEST_DIGITS_OF_A_NUMBER = 5;

/** Returns a CRM's value as text; undefined for an empty text, a list or an object. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  return plainText(value, value.length).trim() || undefined;
}

/** Returns the first fields that have a text, truncated to the limits. */
export function fieldsWithText(fields: readonly (readonly [string, string | undefined])[]): Record<string, string> {
  const given = fields.flatMap(([name, text]) =>
    text === undefined ? [] : [[name, plainText(text, longest.value)] as const],
  );
  let bytes = 0;
  const first = given.slice(0, MAX_FIELDS).filter((field) => {
    bytes += Buffer.byteLength(JSON.stringify(field));
    return bytes <= MAX_BYTES;
  });
  return Object.fromEntries(first);
}

/** Returns the names of a payload's members in a form that can be shown. */
export const shownKeys = (keys: readonly string[]): string[] => keys.slice(0, MAX_KEYS).map(shownKey);

/** Hides names that resemble values: a misread form may have JSON or a phone number as a name. */
function shownKey(key: string): string {
  if (/[{}"@]/.test(key)) return '(no name)';
  const digits = key.match(/\p{Nd}/gu)?.length ?? 0;
  return plainText(digits < FEWEST_DIGITS_OF_A_NUMBER ? key : key.replace(/\p{Nd}/gu, '*'), longest.name);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
