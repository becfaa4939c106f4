import { paginateListSecrets } from '@aws-sdk/client-secrets-manager';
import { functionNames } from '../../../lib/functions.ts';
import { readSecret } from '../../../shared/stores/secrets.ts';
import { client, environment, named, secrets } from '../stack/stack.ts';
import { searchLogsOf } from './cloud-logs.ts';
import { textsOf } from './log-canaries.ts';

async function secretsOfRun(): Promise<string[]> {
  const values = [JSON.stringify([environment.api_key, environment.credentials])];
  for await (const { SecretList = [] } of paginateListSecrets({ client: secrets }, {}))
    for (const { Name = '' } of SecretList) values.push((await readSecret(secrets, Name)) ?? '');
  return [...new Set(values.flatMap(textsOf))];
}

/**
 * Reads all log lines since the stack started.
 * @throws Error if a line reveals a secret or a person, or a function has no log
 */
export async function logsRevealNothing(): Promise<void> {
  const searched = await searchLogsOf(client, await secretsOfRun());
  const missing = functionNames.filter((name) => !searched.includes(named.functionLog(name)));
  if (missing.length > 0) throw new Error(`the search found no log of ${missing.join(', ')}`);
}
