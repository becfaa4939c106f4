import { parsed } from '../body.ts';
import { problems } from './answers.ts';

/** A JSON object, or the vendor's complaint. */
export function jsonObject(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problems.invalidBody();
  return value as Record<string, unknown>;
}
