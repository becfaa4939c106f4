/** Parses JSON. @returns undefined if the text is not JSON */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads a urlencoded or multipart form. @returns undefined for any other body. */
export async function readForm(type: string | undefined, body: ArrayBuffer): Promise<FormData | undefined> {
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(type ?? '')) return undefined;
  return new Response(body, { headers: { 'content-type': type ?? '' } }).formData().catch(() => undefined);
}

/** Returns the text fields of a form. */
export function textFields(form: FormData | undefined): Record<string, string> {
  const fields = [...(form ?? [])].filter((field): field is [string, string] => typeof field[1] === 'string');
  return Object.fromEntries(fields);
}
