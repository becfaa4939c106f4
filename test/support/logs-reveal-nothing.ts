import { paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import { readSecret } from '../../shared/stores/secrets.ts';
import { revealedIn, textsOf } from './log-canaries.ts';
import { allLogs } from './logs.ts';
import { environment, secrets } from './stack.ts';

const MOST_NAMED = 10;

async function secretsOfRun(): Promise<string[]> {
  const values = [JSON.stringify([environment.api_key, environment.credentials])];
  for await (const { SecretList = [] } of paginateListSecrets({ client: secrets }, {}))
    for (const { Name = '' } of SecretList) values.push((await readSecret(secrets, Name)) ?? '');
  return [...new Set(values.flatMap(textsOf))];
}

/** Reads all that the functions have logged since the stack started. @throws Error if a line reveals something. */
export async function logsRevealNothing(): Promise<void> {
  const known = await secretsOfRun();
  const found = [...(await allLogs())].flatMap(([name, log]) =>
    revealedIn(log, known).map(({ what, line }) => `${name} logged ${what}: ${line}`),
  );
  if (found.length === 0) return;
  throw new Error(
    `${found.length} log lines reveal what no log may contain:\n${found.slice(0, MOST_NAMED).join('\n')}`,
  );
}
