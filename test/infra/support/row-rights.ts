import { type FunctionName, functionRow } from '../../../lib/functions.ts';
import type { Use } from '../../../lib/uses.ts';

/** Names each right of a use, such as `calls PutItem`, and each attribute that it may update. */
function rightsOfUse(use: Use): string[] {
  switch (use.kind) {
    case 'table': {
      const onIndexes = Object.entries(use.indexes ?? {}).flatMap(([index, actions]) =>
        actions.map((action) => `${use.table}/${index} ${action}`),
      );
      const updates = (use.updatable ?? ['*']).map((attribute) => `${use.table} UpdateItem ${attribute}`);
      const onTable = use.actions.flatMap((action) => (action === 'UpdateItem' ? updates : [`${use.table} ${action}`]));
      return [...onTable, ...onIndexes];
    }
    case 'files':
      return use.prefixes.flatMap((prefix) => use.actions.map((action) => `${prefix} ${action}`));
    case 'queueUrl':
      return [`queue ${use.queue}`];
    case 'secret':
      return [`secret ${use.secret}`];
    case 'key':
      return use.actions.map((action) => `key ${use.key} ${action}`);
    case 'userPool':
      return use.actions.map((action) => `user pool ${action}`);
    case 'schedulesGroup':
    case 'schedulesRole':
      return [`${use.kind} ${use.of}`];
    case 'bus':
    case 'model':
    case 'mailFrom':
      return [use.kind];
    default:
      return [];
  }
}

const sorted = (uses: readonly Use[]): string[] => [...new Set(uses.flatMap(rightsOfUse))].sort();

/** Returns the rights that the code of a function uses, by its row. */
export const usedRights = (name: FunctionName): string[] => sorted(Object.values(functionRow(name).uses));

/** Returns the rights of a function, with those that only the former release uses. */
export const grantedRights = (name: FunctionName): string[] =>
  sorted([...Object.values(functionRow(name).uses), ...(functionRow(name).formerUses ?? [])]);

/** Returns the released rights that a function no longer has. A right to update all attributes includes each. */
export function missingRights(released: readonly string[], present: readonly string[]): string[] {
  const has = new Set(present);
  return released.filter((right) => !has.has(right) && !has.has(right.replace(/ UpdateItem .*/, ' UpdateItem *')));
}
