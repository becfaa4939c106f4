import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Records a skipped check for the summary of the run. Suites run in other processes, whose output is not read. */
export const noteSkipped = (file: string, sentence: string): void => appendFileSync(file, `${sentence}\n`);

/** Reads the skipped checks, each once. */
export function skippedIn(file: string): string[] {
  if (!existsSync(file)) return [];
  return [...new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))];
}
