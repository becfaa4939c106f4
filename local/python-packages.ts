/** Installs Python packages into folders of .local, once: MiniStack, the local AWS, and the tests' tools. */
import { OperatorError } from './operator-error.ts';
import { EMULATOR, folderOf, installEnvironment, interpreterIn, type PythonPackages } from './python-environment.mjs';

/** Receives progress messages, one line at a time. */
export type Log = (line: string) => void;

/** Installs the emulator and its Python packages, unless they are installed. See `installPython`. */
export const installEmulator = (options: Options): Promise<string> => installPython(EMULATOR, options);

type Options = { log: Log; folder?: string; searchPath?: string };

/**
 * Installs packages into their own environment, unless they are installed.
 *
 * @param options.log reports an installation
 * @param options.folder default: the packages' folder below `.local`
 * @param options.searchPath for Python; default: PATH
 * @returns the path of the Python that has the packages
 * @throws OperatorError if there is no Python >= 3.10, it has no venv module, or the packages cannot be installed
 */
export async function installPython(packages: PythonPackages, options: Options): Promise<string> {
  const folder = options.folder ?? folderOf(packages);
  const env = { ...process.env, PATH: options.searchPath ?? process.env.PATH ?? '' };
  const problem = await installEnvironment(packages, { folder, env, log: options.log });
  if (problem) throw new OperatorError(problem);
  return interpreterIn(folder);
}
