import type { QueueName } from './queues.ts';
import type { Stage } from './stage.ts';
import type { TableName } from './tables.ts';

type Route = `${'HEAD' | 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** The trigger of a function. */
export type Trigger =
  | {
      kind: 'http';
      routes: readonly (Route | '$default')[];
      /** Whether the routes belong to the dashboard's API. */
      isDashboard?: boolean;
      /** Whether the gateway requires a token of the user pool. */
      isForMembers?: boolean;
    }
  | { kind: 'queue'; queue: QueueName; batchSize: number; maxConcurrency: number }
  | { kind: 'stream'; table: TableName }
  | { kind: 'schedule'; everyMinutes: number }
  /** Once a week, in UTC. */
  | { kind: 'schedule'; weekly: { weekDay: 'SUN'; hour: number; minute: number } };

/** Queues that EventBridge Scheduler sends one-time messages to. */
export type ScheduledQueue = 'callbacks' | 'releases' | 'tickets';

/** Rights to objects. An upload in parts requires `PutObject`, and `AbortMultipartUpload` to remove a failed one. */
type FileAction = 'GetObject' | 'PutObject' | 'PutObjectTagging' | 'DeleteObject' | 'AbortMultipartUpload';

/** KMS keys. A ciphertext can be decrypted only with its encryption context. */
export type KeyName = 'callback-secrets' | 'oauth-tokens';

/** The value of one environment variable of a function, and the rights that come with it. */
export type Use =
  | {
      kind: 'table';
      table: TableName;
      actions: readonly string[];
      indexes?: Readonly<Record<string, readonly string[]>>;
      /** Attributes that UpdateItem may name, including those of key and conditions; absent for all. */
      updatable?: readonly string[];
      /** Partitions that GetItem may read, with wildcards; absent for all. */
      gettable?: readonly string[];
      /** Partitions that ConditionCheckItem may check, with wildcards; absent for all. */
      checkable?: string;
    }
  | { kind: 'files'; actions: readonly FileAction[]; prefixes: readonly string[] }
  | { kind: 'queueUrl'; queue: QueueName }
  | { kind: 'queueArn'; queue: QueueName }
  | { kind: 'secret'; secret: SecretName }
  | { kind: 'key'; key: KeyName; actions: readonly ('Encrypt' | 'Decrypt')[] }
  | { kind: 'bus' }
  /** The id of the user pool, and the rights to act in it. */
  | { kind: 'userPool'; actions: readonly string[] }
  /** The id of the dashboard's client in the user pool. */
  | { kind: 'userPoolClient' }
  /** The id of the stage's language model. */
  | { kind: 'model' }
  /** The sender of e-mails, and the right to send as it; omitted if the stage has none. */
  | { kind: 'mailFrom' }
  | { kind: 'schedulesGroup'; of: ScheduledQueue }
  | { kind: 'schedulesRole'; of: ScheduledQueue }
  /** An optional setting that the stage does not have is omitted. */
  | { kind: 'setting'; setting: keyof Stage; isOptional?: boolean };

export type SecretName =
  | 'voice'
  | 'voice-webhook-key'
  | 'crm-b-oauth'
  | 'help-desk-oauth'
  | 'recording-link-key'
  | 'person-key'
  | 'do-not-call-key';

export type FunctionRow = {
  /** File below functions/, without its extension. */
  entry: string;
  trigger: Trigger;
  /** Child programs that the function starts: name in the package → file below functions/. */
  children?: Readonly<Record<string, string>>;
  uses: Readonly<Record<string, Use>>;
  /**
   * Rights that only the code of the former release uses, which runs while a release is deployed (CONTRIBUTING.md,
   * "Remove a right"). The next release removes them.
   */
  formerUses?: readonly Use[];
  /** The effect that users and operators notice (docs/architecture.md, "Every function"). */
  ifItFails: string;
  /** Default: see `memoryOf`. */
  memoryMb?: number;
  /** Whether `costlyAtOnce` limits how many run at once. */
  isCostly?: boolean;
  /** In seconds. A queue worker uses its queue's value. */
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
const appendingTo = (...gettable: string[]): Use => ({
  kind: 'table',
  table: 'audit',
  actions: ['GetItem', 'PutItem'],
  gettable,
});
/**
 * The right to append entries to the audit log, each linked to the hash of the newest one. It covers reading the head,
 * but no entries.
 */
export const auditLog = appendingTo('*#head');
/** The right of `auditLog`, and the right to read the marks of requests with an idempotency key. */
export const markedAuditLog = appendingTo('*#head', '*#deeds');
/** Returns the right to read a connection and to update only these attributes of it. */
export const connectionUse = (...updatable: string[]): Use =>
  table('connections', ['GetItem', 'UpdateItem'], undefined, ['connection_id', ...updatable]);
export const files = (actions: readonly FileAction[], ...prefixes: string[]): Use => ({
  kind: 'files',
  actions,
  prefixes,
});
export const userPool = (...actions: string[]): Use => ({ kind: 'userPool', actions });
export const userPoolClient: Use = { kind: 'userPoolClient' };
export const mailFrom: Use = { kind: 'mailFrom' };
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
