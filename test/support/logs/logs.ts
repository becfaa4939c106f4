import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { type FunctionName, functionNames } from '../../../lib/functions.ts';
import { idNamedBy, namingFunctions } from '../../../lib/named-ids.ts';
import { client, named } from '../stack/stack.ts';
import { readLog } from './cloud-logs.ts';

const logs = new CloudWatchLogsClient(client);

export type Logs = ReadonlyMap<FunctionName, string>;

/** Reads the logs of all functions since the stack started. */
export const allLogs = async (): Promise<Logs> =>
  new Map(
    await Promise.all(functionNames.map(async (name) => [name, await readLog(logs, named.functionLog(name))] as const)),
  );

/** Returns the functions without log lines of their own, because an empty log proves nothing. */
export const silentIn = (written: Logs): FunctionName[] =>
  functionNames.filter((name) => !written.get(name)?.includes('"level":"INFO"'));

const forms = {
  call_id: /"call_ids?":\[?"call_\w/,
  connection_id: /"connection_ids?":\[?"conn_\w/,
};

/** Returns the functions whose log names no call, or, for functions without calls, no connection. */
export const namelessIn = (written: Logs): FunctionName[] =>
  namingFunctions.filter((name) => {
    const id = idNamedBy(name);
    return id && !forms[id].test(written.get(name) ?? '');
  });

/** Returns whether one line of the function's log contains all of these texts. */
export const hasLine = (written: Logs, name: FunctionName, ...texts: string[]): boolean =>
  (written.get(name) ?? '').split('\n').some((line) => texts.every((text) => text !== '' && line.includes(text)));

/** Finds a line with the secret, and masks the secret, so that a failing test does not print it. */
export const lineWith = (text: string, secret: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.includes(secret))
    ?.replaceAll(secret, '***');
