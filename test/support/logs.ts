import { CloudWatchLogsClient, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { type FunctionName, functionNames } from '../../lib/functions.ts';
import { client, named } from './stack.ts';

const logs = new CloudWatchLogsClient(client);

/** What a function has written since the stack was started. */
async function logOf(name: FunctionName): Promise<string> {
  const logGroupName = `/aws/lambda/${named.function(name)}`;
  const messages: string[] = [];
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, { logGroupName }))
    messages.push(...events.map(({ message = '' }) => message));
  return messages.join('\n');
}

export type Logs = ReadonlyMap<FunctionName, string>;

/** What all functions have written. */
export const allLogs = async (): Promise<Logs> =>
  new Map(await Promise.all(functionNames.map(async (name) => [name, await logOf(name)] as const)));

/** An empty log would hold no secret either. @returns the functions that have nothing of their own in it. */
export const silentIn = (written: Logs): FunctionName[] =>
  functionNames.filter((name) => !written.get(name)?.includes('"level":"INFO"'));

/** Whether one line of the function's log holds all of these. */
export const hasLine = (written: Logs, name: FunctionName, ...texts: string[]): boolean =>
  (written.get(name) ?? '').split('\n').some((line) => texts.every((text) => text !== '' && line.includes(text)));

/** The line without the secret itself, so that a failing test does not print it either. */
export const lineWith = (text: string, secret: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.includes(secret))
    ?.replaceAll(secret, '***');
