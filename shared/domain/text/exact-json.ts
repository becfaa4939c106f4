/** A reviver with access to the source text of a value (ECMAScript, "JSON.parse source text access"). */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/** Ids of CRMs may be numbers of up to 19 digits, which JavaScript cannot represent, so their text is used. */
const keepLongIds: Reviver = (_key, value, { source = '' }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(source) ? source : value;

/** Parses JSON of a CRM. @returns undefined if the text is not JSON; whole numbers beyond 2^53 as text */
export function readExactJson(text: string): unknown {
  try {
    return (JSON.parse as (text: string, reviver: Reviver) => unknown)(text, keepLongIds);
  } catch {
    return undefined;
  }
}
