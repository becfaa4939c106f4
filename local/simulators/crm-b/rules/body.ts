import { parsed } from '../../kit/body.ts';
import { problems } from './problems.ts';

/** Reads a JSON object. @throws Problem 400 if the text is not one */
export function jsonObject(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problems.invalidBody();
  return value as Record<string, unknown>;
}
