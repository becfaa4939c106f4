import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledCode } from '../../../local/process.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export type Program = {
  child: ChildProcess;
  /** Its output so far. */
  printed: { out: string; error: string };
  /** Its exit code, when all of its output has arrived. */
  ended: Promise<number | null>;
};

/** Starts a program of the checkout. @param environment in addition to the variables of this process */
export function startProgram(args: readonly string[], environment: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      NODE_OPTIONS: '',
      NODE_COMPILE_CACHE: compiledCode,
      ...environment,
    },
  });
  const printed = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.error += text));
  // Not `exit`, because output may arrive after that event.
  return { child, printed, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** Runs a program of the checkout to its end. */
export async function runProgram(args: readonly string[], environment?: Record<string, string>) {
  const { printed, ended } = startProgram(args, environment);
  return { code: await ended, out: printed.out.trim(), error: printed.error.trim() };
}
