import { readExactJson } from '../../domain/text/exact-json.ts';

const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * Reads the body of a delivery as JSON with any content type, or as a form with the content type of a form. CRM-A
 * offers both.
 * @param json the parsed text; undefined if it is not JSON
 * @returns undefined if the body is neither
 */
export function readDeliveryBody(text: string, json: unknown, contentType = ''): unknown {
  if (json !== undefined) return json;
  // A text that begins like JSON is broken JSON, not a form.
  if (!FORM.test(contentType.trim()) || /^\s*([{[]|$)/.test(text)) return undefined;
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, nestedIn(value) ?? value]));
}

/** Parses a nested object: in a form, `After` is a JSON text. */
function nestedIn(value: string): object | undefined {
  if (!value.trimStart().startsWith('{')) return undefined;
  return readExactJson(value) as object | undefined;
}
