import type { IncomingMessage } from 'node:http';
import { problems } from './answers.ts';

const maxBytes = 5 * 1024 * 1024;

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBytes) throw problems.invalidBody();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A JSON object, or the vendor's complaint. */
export function jsonObject(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problems.invalidBody();
  return value as Record<string, unknown>;
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
