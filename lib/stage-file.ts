import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A mistake in a stage's settings, reported to the person who deploys it. */
export class StageError extends Error {
  override readonly name = 'StageError';
}

/** Returns the path of a stage's settings, from the root of the checkout. */
export const stageFile = (name: string): string => `stages/${name}.json`;

/**
 * Reads stages/NAME.json; undefined if the file does not exist. @throws StageError if it does not contain an object.
 */
export function readStageFile(name: string): Record<string, unknown> | undefined {
  const path = fileURLToPath(new URL(`../${stageFile(name)}`, import.meta.url));
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
