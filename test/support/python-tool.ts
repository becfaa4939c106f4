import { OperatorError } from '../../local/operator-error.ts';
import { installPython, type PythonPackages } from '../../local/python-packages.ts';

/**
 * Installs a tool of the tests that is a Python package.
 * @param skipped says which check is left out where the packages cannot be downloaded.
 * @returns the Python that has the tool; undefined if its packages cannot be downloaded here, except in CI
 * @throws OperatorError in CI if they cannot be downloaded
 */
export async function installTool(packages: PythonPackages, skipped: string): Promise<string | undefined> {
  try {
    return await installPython(packages, { log: console.log });
  } catch (error) {
    if (!(error instanceof OperatorError) || process.env.CI) throw error;
    console.log(`${skipped}: ${error.message}`);
    return undefined;
  }
}
