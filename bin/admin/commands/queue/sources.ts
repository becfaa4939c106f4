import type { FunctionName } from '../../../../lib/functions.ts';
import { type QueueName, queues } from '../../../../lib/queues.ts';
import { type TableName, tableRow, tables } from '../../../../lib/tables.ts';
import { scheduledFunctions } from '../../cloud/scheduled.ts';

/** A source of dead letters. They return to `queue`; without a queue, the function `redo` repeats their work. */
export type Source = { name: string; redo?: FunctionName } & ({ queue: QueueName } | { queue?: never });

export const queueNames = Object.keys(queues) as QueueName[];
const streamedTables = (Object.keys(tables) as TableName[]).filter((name) => tableRow(name).hasStream);

/** Every source that lib creates a dead-letter queue for (lib/stacks/messaging.ts, lib/stacks/workers.ts). */
export const sources: readonly Source[] = [
  ...queueNames.map((queue) => ({ name: queue, queue })),
  // A stream's dead letter only names the lost batch; recover-calls repeats the work of every call without progress.
  ...streamedTables.map((name) => ({ name: `${name}-stream`, redo: 'recover-calls' as const })),
  ...scheduledFunctions.map((name) => ({ name, redo: name })),
];

export const sourceNames = sources.map(({ name }) => name);
