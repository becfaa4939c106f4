import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Webhook } from './sender.ts';

/** The members that this program needs from the file that `npm start` writes. */
const environmentSchema = z.object({
  base_url: z.url(),
  connections: z.object({
    crm_a: z.object({ connection_id: z.string(), token: z.string(), owner_id: z.string().optional() }),
  }),
});

const ENVIRONMENT_FILE = fileURLToPath(new URL('../../../.local/environment.json', import.meta.url));

/** A failure that the operator can fix. Its message says how, in one sentence. */
export class Failure extends Error {}

/** A command that does not follow its help. */
export class WrongUsage extends Error {}

export type TargetOptions = { url?: string; token?: string; owner?: string };

/**
 * Finds the connection that the options name, or the demo connection of `npm start`, whose token is never sent to
 * another address.
 * @param needs the members that the command sends
 * @throws WrongUsage if options are invalid or missing; Failure if no service runs here
 */
export function findTarget(options: TargetOptions, needs: ('token' | 'owner')[]): Webhook & { owner: string } {
  if (options.url !== undefined) {
    if (!isHttpUrl(options.url)) throw new WrongUsage(`--url must be a webhook's address, not "${options.url}".`);
    const missing = needs.filter((name) => options[name] === undefined).map((name) => `--${name}`);
    if (missing.length > 0) throw new WrongUsage(`With --url, ${missing.join(' and ')} must be given, too.`);
    return { url: options.url, token: options.token ?? '', owner: options.owner ?? '' };
  }
  const { base_url, connections } = readEnvironment();
  const { connection_id, token, owner_id } = connections.crm_a;
  const owner = options.owner ?? owner_id;
  if (owner === undefined && needs.includes('owner')) throw new WrongUsage('--owner must be given.');
  return {
    url: `${base_url}/api/webhooks/crm-a/${connection_id}`,
    token: options.token ?? token,
    owner: owner ?? '',
  };
}

/** Returns whether an address is on this machine. */
export const isOnThisMachine = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);

const isHttpUrl = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

function readEnvironment(): z.infer<typeof environmentSchema> {
  const file = process.env.CALLING_SERVICE_ENVIRONMENT || ENVIRONMENT_FILE;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Failure(
      `No service runs here (${file} does not exist): start the service with npm start, or name a webhook with --url.`,
    );
  }
  try {
    return environmentSchema.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${file} names no connection to CRM-A: restart the service with npm start.`);
  }
}
