import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A mistake in a stage's settings, reported to the person who deploys it. */
export class StageError extends Error {
  override readonly name = 'StageError';
}

/** Returns the path of a stage's settings, from the root of the checkout. */
export const stageFile = (name: string): string => `stages/${name}.json`;

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Reads stages/NAME.json; undefined if the file does not exist. @param checkout its folder @throws StageError if the
 * file does not contain an object.
 */
export function readStageFile(name: string, checkout = root): Record<string, unknown> | undefined {
  const path = join(checkout, stageFile(name));
  if (!existsSync(path)) return undefined;
  const content = parse(name, readFileSync(path, 'utf8'));
  if (typeof content === 'object' && content !== null && !Array.isArray(content))
    return content as Record<string, unknown>;
  throw new StageError(`${stageFile(name)} must contain one JSON object.`);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StageError(`${stageFile(name)} is not JSON: ${(error as Error).message}`);
  }
}
