import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A right of a function's role, and how many requests of the function it allowed. */
export type SeenRight = { action: string; resource: string; conditions: object; uses: number };

/** The rights of each function, in the order of its role's policies. */
export type SeenRights = Readonly<Record<string, readonly SeenRight[]>>;

/** The folder in which the suites of one run store the rights that they saw; test/run.ts sets it. */
const folder = () => process.env.SEEN_RIGHTS_FOLDER;

/** Stores the rights that the functions used in the stack of a suite (local/emulator/rights.py). */
export async function keepSeenRights(suite: string): Promise<void> {
  const kept = folder();
  if (!kept) return;
  // Imported late, because it needs a running stack.
  const { environment } = await import('./stack.ts');
  const answer = await fetch(`${environment.emulator_url}/_ministack/rights`);
  if (!answer.ok) throw new Error(`the emulator answered ${answer.status}`);
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, `${suite}-${process.pid}.json`), await answer.text());
}

/**
 * Reads the rights that the stacks of this run have seen.
 * @param suites the required ones @throws Error if one of them has stored no rights
 */
export function readSeenRights(suites: readonly string[]): SeenRights[] {
  const kept = folder() ?? '';
  const files = existsSync(kept) ? readdirSync(kept) : [];
  const missing = suites.filter((suite) => !files.some((file) => file.startsWith(`${suite}-`)));
  if (missing.length > 0)
    throw new Error(`Run ${suites.join(' and ')} before: ${missing.join(' and ')} saw no rights.`);
  return files.map((file) => JSON.parse(readFileSync(join(kept, file), 'utf8')));
}
