import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A right of a function's role, and how many requests of the function it allowed. */
export type SeenRight = { action: string; resource: string; conditions: object; uses: number };

/** The rights of each function, in the order of its role's policies (local/emulator/rights.py). */
export type SeenRights = Readonly<Record<string, readonly SeenRight[]>>;

/** The highest memory use of each function's workers in KB, known on Linux only (local/emulator/meter.py). */
export type SeenMemory = Readonly<Record<string, number>>;

type Seen = { rights: SeenRights; memory: SeenMemory };

/** The folder in which the suites of one run store what their functions used; test/run.ts sets it. */
const folderOf = (what: keyof Seen) => process.env.SEEN_USE_FOLDER && join(process.env.SEEN_USE_FOLDER, what);

/** Stores the rights and the memory that the functions used in the stack of a suite. */
export async function keepSeenUse(suite: string): Promise<void> {
  // Imported late, because it needs a running stack.
  const { environment } = await import('./stack.ts');
  for (const what of ['rights', 'memory'] as const) {
    const folder = folderOf(what);
    if (!folder) return;
    const answer = await fetch(`${environment.emulator_url}/_ministack/${what}`);
    if (!answer.ok) throw new Error(`the emulator answered ${answer.status}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${suite}-${process.pid}.json`), await answer.text());
  }
}

/**
 * Reads what the stacks of this run have seen.
 * @param suites the required ones @throws Error if one of them has stored nothing
 */
export function readSeenUse<What extends keyof Seen>(what: What, suites: readonly string[]): Seen[What][] {
  const folder = folderOf(what) ?? '';
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const missing = suites.filter((suite) => !files.some((file) => file.startsWith(`${suite}-`)));
  if (missing.length > 0)
    throw new Error(`Run ${suites.join(' and ')} before: ${missing.join(' and ')} saw no ${what}.`);
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}
