import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../../local/is-running.mjs';
import { OperatorError } from '../../local/operator-error.ts';

/** Opens a folder's `environment.json`: addresses and credentials of the local cloud, for the CLI and scripts. */
export function environmentFile(folder: string) {
  const path = join(folder, 'environment.json');
  const draft = `${path}.new`;
  return {
    /** @throws OperatorError if a local cloud runs in the folder: a second one would stop its emulator. */
    async refuseSecondStart(): Promise<void> {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      const { base_url, pid } = parse(text ?? '');
      if (!pid || !base_url || !isRunning(pid)) return;
      // The process ID may be reused, so only an answer proves that the service runs.
      const answer = await fetch(base_url, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
      if (answer)
        throw new OperatorError(
          `The service is already running at ${base_url}: stop it first, or set LOCAL_FOLDER to another folder.`,
        );
    },

    /** Replaces the file atomically, so that readers never see half of it. */
    async write(environment: object): Promise<void> {
      await writeFile(draft, `${JSON.stringify(environment, undefined, 2)}\n`, { mode: 0o600 });
      await rename(draft, path);
    },

    remove: () => rm(path, { force: true }),
  };
}

function parse(text: string): { base_url?: string; pid?: number } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
