import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let runs = 0;

/**
 * Runs a program of the checkout to its end in this process, which takes a tenth of the time of a new one. The program
 * must set `process.exitCode` and leave no state in other modules.
 */
export async function runInProcess([path = '', ...args]: readonly string[], environment: Record<string, string>) {
  const { argv, env, exitCode } = process;
  const printed = { out: '', error: '' };
  const into = (stream: keyof typeof printed, end: string) => (text: unknown) => {
    printed[stream] += `${text}${end}`;
    return true;
  };
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation(into('out', '')),
    jest.spyOn(process.stderr, 'write').mockImplementation(into('error', '')),
    jest.spyOn(console, 'log').mockImplementation(into('out', '\n')),
    jest.spyOn(console, 'error').mockImplementation(into('error', '\n')),
  ];
  runs += 1;
  try {
    process.argv = [process.execPath, join(root, path), ...args];
    process.env = { ...env, ...environment };
    process.exitCode = undefined;
    await import(`${pathToFileURL(join(root, path))}?run=${runs}`);
    return { code: process.exitCode ?? 0, out: printed.out.trim(), error: printed.error.trim() };
  } finally {
    for (const spy of spies) spy.mockRestore();
    Object.assign(process, { argv, env });
    process.exitCode = exitCode;
  }
}
