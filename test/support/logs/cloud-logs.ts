import {
  CloudWatchLogsClient,
  type CloudWatchLogsClientConfig,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { revealedIn } from './log-canaries.ts';

const MAX_NAMED = 10;

/** Reads a log group since the cloud started. */
export async function readLog(client: CloudWatchLogsClient, logGroupName: string): Promise<string> {
  const messages: string[] = [];
  for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName }))
    messages.push(...events.map(({ message = '' }) => message));
  return messages.join('\n');
}

/**
 * Searches all log groups of a cloud, of functions and others.
 * @param secrets values that only this cloud has
 * @returns the names of the log groups
 * @throws Error if a line reveals a person or a secret
 */
export async function searchLogsOf(cloud: CloudWatchLogsClientConfig, secrets: readonly string[]): Promise<string[]> {
  const client = new CloudWatchLogsClient(cloud);
  const names: string[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {}))
    names.push(...logGroups.map(({ logGroupName = '' }) => logGroupName));
  const found = await Promise.all(
    names.map(async (name) =>
      revealedIn(await readLog(client, name), secrets).map(({ what, line }) => `${name} has ${what}: ${line}`),
    ),
  );
  const lines = found.flat();
  if (lines.length === 0) return names;
  throw new Error(`${lines.length} log lines reveal a person or a secret:\n${lines.slice(0, MAX_NAMED).join('\n')}`);
}
