const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * Reads the body of a delivery: JSON whatever the content type says, or a form where it says so (CRM-A offers both).
 * @param text the body. @param json the same as JSON, where it is any.
 * @returns undefined where it is neither.
 */
export function readDeliveryBody(text: string, json: unknown, contentType = ''): unknown {
  if (json !== undefined) return json;
  // What begins as JSON was meant as JSON.
  if (!FORM.test(contentType.trim()) || /^\s*([{[]|$)/.test(text)) return undefined;
  return Object.fromEntries([...new URLSearchParams(text)].map(([name, value]) => [name, nestedIn(value) ?? value]));
}

/** A form has no depth: `After` comes as JSON in its member. */
function nestedIn(value: string): object | undefined {
  if (!value.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
