import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verbAt } from './documented-commands.ts';

/** The file in which the suites of one run record the successful commands; test/run.ts sets it. */
const folder = () => process.env.SEEN_COMMANDS_FOLDER;

/** Records verb and flags of an admin command that exited with 0, without the flags' values. */
export function noteCommand(args: readonly string[], code: number | null): void {
  const noted = folder();
  const found = verbAt(args.join(' '));
  if (code !== 0 || !noted || !found) return;
  mkdirSync(noted, { recursive: true });
  const flags = args.filter((arg) => arg.startsWith('--')).map((flag) => flag.replace(/=.*/s, ''));
  appendFileSync(join(noted, String(process.pid)), `${JSON.stringify([found[0], ...flags])}\n`);
}

/** Reads the flags with which each verb succeeded in this run, by the verb's words. */
export function readSeenCommands(): ReadonlyMap<string, ReadonlySet<string>> {
  const noted = folder() ?? '';
  const seen = new Map<string, Set<string>>();
  for (const file of existsSync(noted) ? readdirSync(noted) : [])
    for (const line of readFileSync(join(noted, file), 'utf8').trim().split('\n')) {
      const [verb = '', ...flags] = JSON.parse(line) as string[];
      seen.set(verb, new Set([...(seen.get(verb) ?? []), ...flags]));
    }
  return seen;
}
