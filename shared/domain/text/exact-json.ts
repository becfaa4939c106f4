/** A reviver with access to the source text of a value (ECMAScript, "JSON.parse source text access"). */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** A number that JSON.stringify writes as its source text. */
type RawNumber = { readonly rawJSON: string };

const exactJson = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (source: string) => RawNumber;
  isRawJSON: (value: unknown) => value is RawNumber;
};

/** Ids of CRMs may be numbers of up to 19 digits, which JavaScript cannot represent, so their text is used. */
const keepLongIds: Reviver = (_key, value, { source = '' }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source) ? source : value;

/** Parses JSON of a CRM. @returns undefined if the text is not JSON; whole numbers beyond 2^53 as text */
export function readExactJson(text: string): unknown {
  try {
    return exactJson.parse(text, keepLongIds);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON of a client, whose numbers must return to it unchanged. A number that JavaScript cannot represent, such
 * as an integer beyond 2^53, becomes an object that JSON.stringify writes as it was sent; `writtenNumber` reads it.
 * @throws SyntaxError for other text
 */
export const readJsonAsWritten = (text: string): unknown => readLongNumbers(text, exactJson.rawJSON);

/** @returns the text of a number that `readJsonAsWritten` has kept as an object; undefined for other values */
export const writtenNumber = (value: unknown): string | undefined =>
  exactJson.isRawJSON(value) ? value.rawJSON : undefined;

/** Copies JSON, with numbers that JavaScript cannot represent as text, for a reader that would round them. */
export const withNumbersAsText = <T>(json: T): T => readLongNumbers(JSON.stringify(json), (source) => source) as T;

function readLongNumbers(text: string, read: (source: string) => unknown): unknown {
  try {
    return exactJson.parse(text, (_key, value, { source = '' }) =>
      typeof value === 'number' && !isExact(value, source) ? read(source) : value,
    );
  } catch (error) {
    // A reviver overflows the stack at half the depth. Only calls of older versions have metadata of that depth.
    if (error instanceof RangeError) return JSON.parse(text);
    throw error;
  }
}

const isExact = (value: number, source: string): boolean =>
  String(value) === source || decimalOf(String(value)) === decimalOf(source);

/** @returns digits and exponent, equal for equal numbers: `1e3`, `1000` and `1000.0`. */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let from = 0;
  while (digits[from] === '0') from += 1;
  if (from === digits.length) return '0';
  let to = digits.length;
  while (digits[to - 1] === '0') to -= 1;
  const sign = mantissa.startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(from, to)}e${Number(exponent) - fraction.length + digits.length - to}`;
}
