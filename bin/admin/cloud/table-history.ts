import { type CloudFormationClient, paginateDescribeStackEvents } from '@aws-sdk/client-cloudformation';
import type { Names } from '../../../lib/names.ts';
import { isNoStack, Refusal } from '../failures.ts';

/** A change of the stack `data`: a table joined it, and the stage uses it from then on, or a table left it. */
type Exchange = { table: string; kind: 'joined' | 'left'; at: Date };

/** More events than the deployments of 35 days cause: a table cannot be restored to an earlier time. */
const MAX_EVENTS = 50_000;

const kinds: Readonly<Record<string, Exchange['kind']>> = {
  CREATE_COMPLETE: 'joined',
  IMPORT_COMPLETE: 'joined',
  DELETE_SKIPPED: 'left',
};

/** The exchanges of a stage's tables since a time, the oldest first. */
export type TableHistory = readonly Exchange[];

/**
 * Reads from the events of the stack `data` which tables joined and left it since a time. CloudFormation stores events
 * for 90 days, and a table can be restored to a time in the last 35 days.
 * @throws Refusal too_many_events
 */
export async function tableHistory(
  { cloudFormation, named }: { cloudFormation: CloudFormationClient; named: Names },
  since: Date,
): Promise<TableHistory> {
  const found: Exchange[] = [];
  let read = 0;
  try {
    const pages = paginateDescribeStackEvents({ client: cloudFormation }, { StackName: named.stack('data') });
    for await (const { StackEvents = [] } of pages)
      for (const { ResourceType, ResourceStatus = '', PhysicalResourceId: table, Timestamp: at } of StackEvents) {
        // The newest event comes first.
        if (at && at < since) return found.reverse();
        const kind = kinds[ResourceStatus];
        if (ResourceType === 'AWS::DynamoDB::GlobalTable' && kind && table && at) found.push({ table, kind, at });
        read += 1;
        if (read > MAX_EVENTS)
          throw new Refusal('too_many_events', `Stack ${named.stack('data')} has more than ${MAX_EVENTS} events.`);
      }
  } catch (error) {
    if (!isNoStack(error)) throw error;
  }
  return found.reverse();
}

/** Returns whether the table has joined the stack since the beginning of the history. */
export const hasJoined = (history: TableHistory, table: string): boolean =>
  history.some((one) => one.table === table && one.kind === 'joined');

/**
 * Finds the table that the stage used at the beginning of the history: the first that left the stack without having
 * joined it since. In a deployment that is rolled back, a table joins and leaves again.
 * @param inUse the table that the stage uses now
 */
export function usedAtFirst(history: TableHistory, inUse: string): string {
  const joined = new Set<string>();
  for (const { table, kind } of history.filter(({ table }) => isSameTable(table, inUse))) {
    if (kind === 'left' && !joined.has(table)) return table;
    joined.add(table);
  }
  return inUse;
}

/** Lists the tables that the stage no longer uses in place of `inUse`, in the order in which they left the stack. */
export function usedBefore(history: TableHistory, inUse: string): { table: string; leftAt: Date }[] {
  const left = new Map<string, Date>();
  for (const { table, kind, at } of history)
    if (kind === 'left' && table !== inUse && isSameTable(table, inUse)) {
      left.delete(table);
      left.set(table, at);
    }
  return [...left].map(([table, leftAt]) => ({ table, leftAt }));
}

/** The ending of the name of a restored table (lib/names.ts). */
const ENDING = /-r(\d{12}|\d{14})$/;

/** Returns whether the code has the same name for two tables. */
const isSameTable = (one: string, other: string): boolean => one.replace(ENDING, '') === other.replace(ENDING, '');
