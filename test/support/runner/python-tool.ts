import { writeSync } from 'node:fs';
import { OperatorError } from '../../../local/operator-error.ts';
import type { PythonPackages } from '../../../local/python-environment.mjs';
import { installPython } from '../../../local/python-packages.ts';
import { noteSkipped } from '../../runner/skipped.ts';

/**
 * Returns the environment of an installed tool. It clears a variable that many container images set, with which the
 * tool would compile its modules again at every start, for seconds of CPU time.
 */
export const toolEnvironment = (own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  ...own,
  PYTHONDONTWRITEBYTECODE: '',
});

// Jest's runner hides what a test prints, but not what is written to the error output itself.
const ERROR_OUTPUT = 2;

/** Replaced only by the tests of this function. */
type Replacements = {
  install?: typeof installPython;
  env?: Readonly<Record<string, string | undefined>>;
  print?: (line: string) => void;
};

/**
 * Installs a tool of the tests that is a Python package.
 * @param skipped names the check that is left out if the packages cannot be downloaded. It is printed in the summary of
 * `npm test`, or else on standard error.
 * @returns the Python with the tool; undefined if its packages cannot be downloaded here, except in CI
 * @throws OperatorError in CI if they cannot be downloaded
 */
export async function installTool(
  packages: PythonPackages,
  skipped: string,
  {
    install = installPython,
    env = process.env,
    print = (line) => void writeSync(ERROR_OUTPUT, `${line}\n`),
  }: Replacements = {},
): Promise<string | undefined> {
  try {
    return await install(packages, { log: print });
  } catch (error) {
    if (!(error instanceof OperatorError) || env.CI) throw error;
    const sentence = `${skipped}: ${error.message}`;
    if (env.SKIPPED_FILE) noteSkipped(env.SKIPPED_FILE, sentence);
    else print(`skipped: ${sentence}`);
    return undefined;
  }
}
