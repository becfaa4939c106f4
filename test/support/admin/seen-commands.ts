import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verbAt } from './documented-commands.ts';

/** The folder in which the suites of one run record the successful commands; test/run.ts sets it. */
const folder = () => process.env.SEEN_COMMANDS_FOLDER;

/** Records an admin command that exited with 0. */
export function noteCommand(args: readonly string[], code: number | null): void {
  const noted = folder();
  if (code !== 0 || !noted || !verbAt(args.join(' '))) return;
  mkdirSync(noted, { recursive: true });
  appendFileSync(join(noted, String(process.pid)), `${JSON.stringify(args)}\n`);
}

/** Reads the words of each command that succeeded in this run. */
export function readSeenCommands(): string[][] {
  const noted = folder() ?? '';
  return (existsSync(noted) ? readdirSync(noted) : []).flatMap((file) =>
    readFileSync(join(noted, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as string[]),
  );
}
