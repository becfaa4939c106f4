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

/** @returns the running local cloud; undefined if none runs. */
export function readLocalCloud(variables: Variables): LocalCloud | undefined {
  const named = variables.CALLING_SERVICE_ENVIRONMENT;
  const file = named || DEFAULT_FILE;
  if (!existsSync(file)) {
    // Naming a file is a decision for a local cloud: falling back to AWS could change a production account.
    if (named)
      throw new Refusal('unavailable', `The file ${named} does not exist: start the local cloud that writes it.`);
    return undefined;
  }
  try {
    return environmentSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new Refusal('unavailable', `The file ${file} is not readable: restart the local cloud with npm start.`);
  }
}
