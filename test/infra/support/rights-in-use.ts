import { type Ast, type Code, eachNode, isFunction, nameOf } from './bundled-code.ts';
import { functionAround, namesIn } from './names-of-values.ts';

/** An IAM action that code may use, and the settings whose values name its resources. */
export type UsedRight = { action: string; index?: string; settings: ReadonlySet<string> };

/** The actions in the text of one function. A query's index may be named by its caller. */
type Asked = { actions: Set<string>; queries: boolean; indexes: Set<string>; tags: boolean };

/** Requests that need other rights than one of their own name (AWS, "Service authorization reference"). */
const rightsOfRequest: Readonly<Record<string, readonly string[]>> = {
  Get: ['dynamodb:GetItem'],
  Put: ['dynamodb:PutItem'],
  Update: ['dynamodb:UpdateItem'],
  Delete: ['dynamodb:DeleteItem'],
  BatchGet: ['dynamodb:BatchGetItem'],
  HeadObject: ['s3:GetObject'],
  CreateMultipartUpload: ['s3:PutObject'],
  UploadPart: ['s3:PutObject'],
  CompleteMultipartUpload: ['s3:PutObject'],
  SendMessageBatch: ['sqs:SendMessage'],
  Converse: ['bedrock:InvokeModel'],
  CreateSchedule: ['scheduler:CreateSchedule', 'iam:PassRole'],
  // A transaction needs the rights of its parts.
  TransactWrite: [],
  TransactGet: [],
};

/** Rights of the parts of a transaction. */
const rightsOfPart: Readonly<Record<string, string>> = {
  Get: 'dynamodb:GetItem',
  Put: 'dynamodb:PutItem',
  Update: 'dynamodb:UpdateItem',
  Delete: 'dynamodb:DeleteItem',
  ConditionCheck: 'dynamodb:ConditionCheckItem',
};

const services: Readonly<Record<string, string>> = {
  '@aws-sdk/lib-dynamodb': 'dynamodb',
  '@aws-sdk/client-s3': 's3',
  '@aws-sdk/client-sqs': 'sqs',
  '@aws-sdk/client-kms': 'kms',
  '@aws-sdk/client-secrets-manager': 'secretsmanager',
  '@aws-sdk/client-eventbridge': 'events',
  '@aws-sdk/client-bedrock-runtime': 'bedrock',
  '@aws-sdk/client-sesv2': 'ses',
  '@aws-sdk/client-scheduler': 'scheduler',
  '@aws-sdk/client-cognito-identity-provider': 'cognito-idp',
};

/** Writes to one table: a store's own table has the name `writes`. */
const TABLE_WRITES = 'conditionalTable';

/** The name of a client of `withBatchedReads`, in every entry. */
const BATCHING_CLIENT = 'batchedDb';

const isSetting = (name: string | undefined): name is string => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(name ?? '');

/**
 * Finds the AWS requests that a program may make. It includes a store's methods that the code names: `deps.calls.get`
 * is `get` of every value bound to the name `calls`. It knows names, not values, so it may find too much, but not too
 * little if stores and their settings have the same names everywhere.
 */
export function rightsInUse(code: Code): UsedRight[] {
  const { functions, calls } = code;
  const names = namesIn(code);
  const asking = askedIn(code);
  /** Functions of these files make requests; all others call them. */
  const makesRequests = (name: string | undefined) =>
    /^shared\/(stores|integrations)\//.test(functions.get(name ?? '')?.file ?? '');

  /** The settings that a call gets, directly or from the callers of the function around it. */
  const settingsOf = (call: Ast, seen = new Set<Ast>()): string[] => {
    if (seen.has(call)) return [];
    seen.add(call);
    const around = functionAround(code, call) ?? '';
    const parameters = functions.get(around)?.parameters ?? [];
    const found: string[] = [];
    for (const argument of call.arguments as Ast[])
      eachNode(argument, (node) => {
        const name = nameOf(node);
        if (node.type === 'MemberExpression' && isSetting(name)) found.push(name);
        const position = node.type === 'Identifier' ? parameters.indexOf(node.name) : -1;
        for (const outer of position < 0 ? [] : (calls.get(around) ?? [])) {
          const passed = outer.arguments[position] && nameOf(outer.arguments[position]);
          if (isSetting(passed)) found.push(passed);
        }
        // A call inside it has its own settings.
        return node.type !== 'CallExpression' && node.type !== 'MemberExpression';
      });
    if (found.length > 0 || !makesRequests(around)) return found;
    return (calls.get(around) ?? []).flatMap((outer) => settingsOf(outer, seen));
  };

  /** Whether a store gets the client that reads in batches, directly or from the callers of the function around it. */
  const readsInBatches = (call: Ast): boolean => {
    const around = functionAround(code, call) ?? '';
    const parameters = functions.get(around)?.parameters ?? [];
    return (call.arguments as Ast[]).some((one) => {
      const name = nameOf(one);
      if (name === BATCHING_CLIENT) return true;
      const position = name === undefined ? -1 : parameters.indexOf(name);
      const outer = position < 0 ? [] : (calls.get(around) ?? []);
      return outer.some(
        (passing) => passing.arguments[position] && nameOf(passing.arguments[position]) === BATCHING_CLIENT,
      );
    });
  };

  const usedBy = (name: string, call: Ast): UsedRight[] => {
    const { node, methods } = functions.get(name) as NonNullable<ReturnType<typeof functions.get>>;
    const known = names.of(call, `${name}@${call.start}`);
    const settings = new Set(settingsOf(call));
    const units = methods
      ? [...methods].flatMap(([method, unit]) => (names.hasMember(known, method) ? [unit] : []))
      : [node];
    const rights = units.flatMap((unit) => rightsOf(asking(unit, name)));
    return rights.map((right) => ({ ...right, ...(readsInBatches(call) && batched(right)), settings }));
  };

  return [...functions].flatMap(([name, { methods }]) =>
    makesRequests(name) && name !== TABLE_WRITES
      ? (calls.get(name) ?? [])
          // Without methods, the store's own calls belong to the store.
          .filter((call) => methods || !makesRequests(functionAround(code, call)))
          .flatMap((call) => usedBy(name, call))
      : [],
  );
}

const batched = ({ action }: Pick<UsedRight, 'action'>) => ({
  action: action === 'dynamodb:GetItem' ? 'dynamodb:BatchGetItem' : action,
});

const rightsOf = ({ actions, queries, indexes, tags }: Asked): Omit<UsedRight, 'settings'>[] => [
  ...[...actions].map((action) => ({ action })),
  ...(tags && actions.has('s3:PutObject') ? [{ action: 's3:PutObjectTagging' }] : []),
  ...(queries && indexes.size === 0 ? [{ action: 'dynamodb:Query' }] : []),
  ...[...(queries ? indexes : [])].map((index) => ({ action: 'dynamodb:Query', index })),
];

/** Builds a function that finds the requests in a function's text, and in the functions that it names. */
function askedIn(code: Code) {
  const { functions, constants, imports, calls } = code;
  const asking = (unit: Ast, scope: string, seen = new Set<Ast>()): Asked => {
    const asked: Asked = { actions: new Set(), queries: false, indexes: new Set(), tags: false };
    if (seen.has(unit)) return asked;
    seen.add(unit);
    const own = functions.get(scope);
    const apart = new Set([...(own?.methods?.values() ?? []), ...[...(own?.locals.values() ?? [])].filter(isFunction)]);

    const include = (unit: Ast, scope: string) => {
      const { actions, queries, indexes, tags } = asking(unit, scope, seen);
      for (const action of actions) asked.actions.add(action);
      asked.queries ||= queries;
      asked.tags ||= tags;
      for (const index of indexes) asked.indexes.add(index);
    };
    /** Includes the value of a name: a function beside this one or at the top level, or a passed argument. */
    const reach = (name: string, scope: string): void => {
      const around = functions.get(scope);
      const local = around?.locals.get(name);
      const position = around?.parameters.indexOf(name) ?? -1;
      const top = functions.get(name);
      if (local) include(local, scope);
      else if (position >= 0)
        for (const call of calls.get(scope) ?? []) {
          const passed: Ast | undefined = call.arguments[position];
          const from = functionAround(code, call);
          if (passed) noteIndex(passed);
          if (passed?.type === 'Identifier' && from !== undefined && from !== scope) reach(passed.name, from);
        }
      else if (top && name !== TABLE_WRITES && /^shared\/(stores|integrations)\//.test(top.file))
        include(top.node, name);
    };
    const noteIndex = (node: Ast) => {
      if (node.type !== 'MemberExpression') return;
      const members: Ast[] = constants.get(nameOf(node.object) ?? '')?.properties ?? [];
      const value = members.find(({ key }) => key?.name === nameOf(node))?.value.value;
      if (/Indexes\d*$/.test(nameOf(node.object) ?? '') && value) asked.indexes.add(value);
    };
    const noteRequest = ({ name, from }: { name: string; from: string }) => {
      const request = /^(\w+)Command$/.exec(name)?.[1];
      const service = services[from];
      if (name === 'paginateQuery' || (request === 'Query' && service === 'dynamodb')) asked.queries = true;
      else if (request && service)
        for (const action of rightsOfRequest[request] ?? [`${service}:${request}`]) asked.actions.add(action);
    };

    eachNode(unit, (node) => {
      if (node !== unit && apart.has(node)) return false;
      if (node.type === 'Property' && node.parent?.type === 'ObjectExpression') {
        const part = rightsOfPart[node.key.name];
        if (part) asked.actions.add(part);
        if (node.key.name === 'Tagging') asked.tags = true;
        // A signed link names the request that a browser makes with it.
        if (node.key.value === 'x-id') asked.actions.add(`s3:${node.value.value}`);
      }
      if (node.type === 'MemberExpression' && nameOf(node.object) === 'writes') {
        const method = functions.get(TABLE_WRITES)?.methods?.get(nameOf(node) ?? '');
        if (method) include(method, TABLE_WRITES);
      }
      noteIndex(node);
      if (node.type === 'Identifier' && isValue(node)) {
        const imported = imports.get(node.name);
        if (imported) noteRequest(imported);
        else reach(node.name, scope);
      }
      return true;
    });
    return asked;
  };
  return asking;
}

/** Returns whether an identifier refers to a value, and is not the name of a member. */
const isValue = (node: Ast): boolean => {
  const { type, shorthand, computed, key, property } = node.parent ?? ({} as Ast);
  if (type === 'Property') return shorthand || key !== node;
  return type !== 'MemberExpression' || computed || property !== node;
};
