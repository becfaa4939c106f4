import { deployedName, type QueueName } from './queues.ts';

/** Longest name of a stage: a function's name, which contains it, has at most 64 characters (Lambda API). */
export const MAX_STAGE_CHARACTERS = 16;

/** The endings of the names of restored tables, such as `r20261123143000` (docs/runbooks/restore.md). */
export type Restored = Readonly<Partial<Record<string, string>>>;

/** Returns the restored tables as an output of the stack `data`: `calls=r20261123143000,…`, or `none`. */
export const restoredText = (restored: Restored = {}): string =>
  Object.entries(restored)
    .map(([table, ending]) => `${table}=${ending}`)
    .sort()
    .join(',') || 'none';

/**
 * Names of the deployed resources. They are fixed, not generated, so that operators find a log or a queue by the name
 * that the code uses, the admin CLI needs no lookup, and no empty table silently replaces a retained one
 * (docs/decisions/0001-fixed-names.md).
 */
export const names = (stage: string, restored: Restored = {}) => {
  const prefix = `calling-service-${stage}`;
  return {
    stack: (part: string) => `${prefix}-${part}`,
    table: (table: string) => `${prefix}-${table}${restored[table] ? `-${restored[table]}` : ''}`,
    queue: (queue: QueueName) => `${prefix}-${deployedName(queue)}`,
    /** @param source a queue, a stream or a schedule. */
    deadLetters: (source: string) => `${prefix}-${deployedName(source)}-dead-letters`,
    function: (name: string) => `${prefix}-${name}`,
    functionLog: (name: string) => `/aws/lambda/${prefix}-${name}`,
    // Below this name, a log needs no entry in the account's policy of logs, which must be short (CloudWatch Logs
    // guide, "Enable logging from AWS services").
    accessLog: `/aws/vendedlogs/apigateway/${prefix}-http`,
    secret: (secret: string) => `calling-service/${stage}/${secret}`,
    keyAlias: (key: string) => `alias/${prefix}-${key}`,
    /** An alarm on several functions. The names of alarms on one function or queue begin with its name. */
    alarm: (name: string) => `${prefix}-${name}`,
    bus: `${prefix}-calls`,
    deployer: `${prefix}-deployer`,
    metrics: `CallingService/${stage}`,
  };
};

/** Returns the tags of all resources of a stage. */
export const tagsOf = (stage: string): Readonly<Record<string, string>> => ({ service: 'calling-service', stage });

export type Names = ReturnType<typeof names>;
