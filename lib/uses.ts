import type { QueueName } from './queues.ts';
import type { Stage } from './stage.ts';
import type { TableName } from './tables.ts';

type Route = `${'HEAD' | 'GET' | 'POST'} /${string}`;

/** What starts a function. */
export type Trigger =
  | { kind: 'http'; routes: readonly (Route | '$default')[] }
  | { kind: 'queue'; queue: QueueName; batchSize: number; maxConcurrency: number }
  | { kind: 'stream'; table: TableName }
  | { kind: 'schedule'; everyMinutes: number }
  /** Once a week, in UTC. */
  | { kind: 'schedule'; weekly: { weekDay: 'SUN'; hour: number; minute: number } };

/** Messages that EventBridge Scheduler puts on a queue once: of these queues. */
export type ScheduledQueue = 'callbacks' | 'leads' | 'tickets';

/** KMS keys: what they seal opens only under the context that it was sealed under. */
export type KeyName = 'callback-secrets' | 'oauth-tokens';

/** What a function is given under one name of its environment, and what it may do with it. */
export type Use =
  | {
      kind: 'table';
      table: TableName;
      actions: readonly string[];
      indexes?: Readonly<Record<string, readonly string[]>>;
      /** The attributes that UpdateItem may name, those of key and conditions included; absent = all. */
      updatable?: readonly string[];
    }
  | { kind: 'files'; actions: readonly ('GetObject' | 'PutObject')[]; prefixes: readonly string[] }
  | { kind: 'queueUrl'; queue: QueueName }
  | { kind: 'queueArn'; queue: QueueName }
  | { kind: 'secret'; secret: SecretName }
  | { kind: 'key'; key: KeyName; actions: readonly ('Encrypt' | 'Decrypt')[] }
  | { kind: 'bus' }
  /** The stage's language model, by its id. */
  | { kind: 'model' }
  | { kind: 'schedulesGroup'; of: ScheduledQueue }
  | { kind: 'schedulesRole'; of: ScheduledQueue }
  /** An optional one that the stage does not have is left out. */
  | { kind: 'setting'; setting: keyof Stage; isOptional?: boolean };

export type SecretName = 'voice' | 'voice-webhook-key' | 'crm-b-oauth' | 'help-desk-oauth' | 'recording-link-key';

export type FunctionRow = {
  /** File below functions/, without its ending. */
  entry: string;
  trigger: Trigger;
  /** Programs of their own that the function starts, by their names in its package: files below functions/. */
  children?: Readonly<Record<string, string>>;
  uses: Readonly<Record<string, Use>>;
  /** What users and operators notice (docs/architecture.md, the flow table). */
  ifItFails: string;
  memoryMb?: number;
  /** Seconds; a queue's worker has its queue's. */
  timeoutSeconds?: number;
};

export const table = (
  name: TableName,
  actions: readonly string[],
  indexes?: Readonly<Record<string, readonly string[]>>,
  updatable?: readonly string[],
): Use => ({
  kind: 'table',
  table: name,
  actions,
  ...(indexes && { indexes }),
  ...(updatable && { updatable }),
});
/** Strangers reach these functions: they must not be able to write a token or an owner. */
export const healthOf = (...updatable: string[]): Use =>
  table('connections', ['GetItem', 'UpdateItem'], undefined, ['connection_id', ...updatable]);
export const files = (actions: readonly ('GetObject' | 'PutObject')[], ...prefixes: string[]): Use => ({
  kind: 'files',
  actions,
  prefixes,
});
export const queueUrl = (queue: QueueName): Use => ({ kind: 'queueUrl', queue });
export const secret = (name: SecretName): Use => ({ kind: 'secret', secret: name });
export const setting = (name: keyof Stage): Use => ({ kind: 'setting', setting: name });
export const optional = (name: keyof Stage): Use => ({ kind: 'setting', setting: name, isOptional: true });
export const key = (name: KeyName, ...actions: ('Encrypt' | 'Decrypt')[]): Use => ({ kind: 'key', key: name, actions });
export const http = (...routes: (Route | '$default')[]): Trigger => ({ kind: 'http', routes });
export const worker = (
  queue: QueueName,
  { batchSize, maxConcurrency }: { batchSize: number; maxConcurrency: number },
): Trigger => ({
  kind: 'queue',
  queue,
  batchSize,
  maxConcurrency,
});
