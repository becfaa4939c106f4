import { type FunctionName, functionNames, functionRow } from './functions.ts';
import type { QueueName } from './queues.ts';
import type { TableName } from './tables.ts';
import type { FunctionRow, Use } from './uses.ts';

/** The id that a function's log lines name: the call's, or the connection's if no call exists yet. */
type NamedId = 'call_id' | 'connection_id';

/**
 * Functions that touch calls or connections but do not work on a single one, with the reason why their logs need not
 * name one.
 */
export const functionsWithoutId: Partial<Record<FunctionName, string>> = {
  'show-overview': 'counts calls',
  'list-calls': 'reads a page of calls',
  'list-credit-entries': 'reads a page of entries, with their calls in brief',
  'list-lead-events': 'reads a page of Activity',
  'list-connections': 'reads all connections of an organization',
  'explain-lead': 'reads what is stored about a lead or a number',
  'show-assistant': 'reads which connections use an assistant',
  'delete-assistant': 'reads which connections use an assistant',
  'update-organization': 'triggers the hand-over of slots',
  'renew-watch-channels': 'works on watch channels; it names those that fail',
  'check-connections': 'reads all connections; it names the silent ones and those that fail',
  'send-notices': 'mails the state of organizations',
};

const tablesOfCalls: readonly TableName[] = ['calls', 'callbacks'];
const queuesOfConnections: readonly QueueName[] = ['lead-events', 'switch-offs'];

function idOfUse(use: Use): NamedId | undefined {
  switch (use.kind) {
    case 'table':
      if (tablesOfCalls.includes(use.table)) return 'call_id';
      return use.table === 'connections' ? 'connection_id' : undefined;
    case 'files':
      return use.prefixes.every((prefix) => prefix === 'knowledge/') ? undefined : 'call_id';
    case 'queueUrl':
    case 'queueArn':
      return idOfQueue(use.queue);
    case 'bus':
      return 'call_id';
    default:
      return undefined;
  }
}

const idOfQueue = (queue: QueueName): NamedId => (queuesOfConnections.includes(queue) ? 'connection_id' : 'call_id');

function idOfTrigger({ trigger }: FunctionRow): NamedId | undefined {
  switch (trigger.kind) {
    case 'queue':
      return idOfQueue(trigger.queue);
    case 'stream':
      return trigger.table === 'calls' ? 'call_id' : 'connection_id';
    case 'http':
      return trigger.routes.some((route) => route.includes('{connectionId}')) ? 'connection_id' : undefined;
    case 'schedule':
      return undefined;
  }
}

/**
 * Returns the id that the function's log must name for the work it does, derived from what its row lets it touch;
 * undefined if it touches neither a call nor a connection, or does not work on a single one (`functionsWithoutId`).
 */
export function idNamedBy(name: FunctionName): NamedId | undefined {
  return name in functionsWithoutId ? undefined : idTouchedBy(name);
}

/** Returns the kind of id that the function's row lets it touch. */
export function idTouchedBy(name: FunctionName): NamedId | undefined {
  const row = functionRow(name);
  const touched = [idOfTrigger(row), ...Object.values(row.uses).map(idOfUse)];
  return (['call_id', 'connection_id'] as const).find((id) => touched.includes(id));
}

/** The functions whose logs name a call or a connection (docs/tracing.md, "Follow one call"). */
export const namingFunctions = functionNames.filter((name) => idNamedBy(name) !== undefined);
