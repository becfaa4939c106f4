import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Refusal } from '../failures.ts';

/** The members of `environment.json` that the admin CLI reads; `npm start` writes the file. */
const environmentSchema = z.object({
  base_url: z.url(),
  emulator_url: z.url(),
  region: z.string(),
  credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
  clock_file: z.string().optional(),
  simulators: z.object({ voice: z.url().optional() }).optional(),
});

const DEFAULT_FILE = fileURLToPath(new URL('../../../.local/environment.json', import.meta.url));

/** Environment variables, as in `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

export type LocalCloud = z.infer<typeof environmentSchema>;

/**
 * Reads the file that describes the running local cloud.
 * @returns undefined if no local cloud runs
 * @throws Refusal unavailable if the named file does not exist, or the file cannot be read
 */
export function readLocalCloud(variables: Variables): LocalCloud | undefined {
  const named = variables.CALLING_SERVICE_ENVIRONMENT;
  const file = named || DEFAULT_FILE;
  if (!existsSync(file)) {
    // A caller that names a file wants a local cloud: falling back to AWS could change a production account.
    if (named)
      throw new Refusal('unavailable', `The file ${named} does not exist: start the local cloud that writes it.`);
    return undefined;
  }
  try {
    return environmentSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new Refusal('unavailable', `The file ${file} cannot be read: restart the local cloud with npm start.`);
  }
}
