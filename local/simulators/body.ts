import type { IncomingMessage } from 'node:http';

/** The whole body, of which more than `maxBytes` are read and not kept: then undefined. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size <= maxBytes ? Buffer.concat(chunks) : undefined;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of a form, urlencoded or multipart (as the vendor's own SDK sends it); of anything else none. */
export function formFields(type: string | undefined, text: string): Record<string, string> {
  if (type?.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)/.exec(type ?? '')?.[1];
  if (!boundary) return {};
  const parts = text.split(`--${boundary}`).map((part) => /name="([^"]+)"[^\n]*\r\n\r\n([\s\S]*)\r\n$/.exec(part));
  return Object.fromEntries(parts.flatMap((part) => (part ? [[part[1] ?? '', part[2] ?? '']] : [])));
}
