import { type FunctionName, functionNames } from '../../../lib/functions.ts';
import type { TableName } from '../../../lib/tables.ts';
import { list } from './resources.ts';
import { prod } from './stages/prod.ts';
import { type Resource, targetOf } from './synthesize.ts';

/** A statement of a policy. */
export type Right = {
  /** The id of the policy. */
  id: string;
  effect: string;
  actions: readonly string[];
  /** The resources as JSON. */
  resources: string;
  condition: Record<string, Record<string, unknown>> | undefined;
};

export const rightsIn = (policies: Resource[]): Right[] =>
  policies.flatMap(({ id, Properties }) =>
    list(Properties.PolicyDocument.Statement).map(({ Effect, Action, Resource, Condition }) => ({
      id,
      effect: Effect,
      actions: list<string>(Action),
      resources: JSON.stringify(Resource),
      condition: Condition,
    })),
  );

const policies = prod.ofType('AWS::IAM::Policy');

/** Every right of the stage `prod`. */
export const allRights: readonly Right[] = rightsIn(policies);

export const rightsOfRole = ({ stack, id }: Resource): Right[] =>
  rightsIn(
    policies.filter(
      (policy) => policy.stack === stack && policy.Properties.Roles.some((role: unknown) => targetOf(role) === id),
    ),
  );

export const rightsOf = (name: FunctionName): Right[] =>
  allRights.filter(({ id }) => id.startsWith(`${name.replaceAll('-', '')}parts`));

export const allowing = (rights: readonly Right[], action: string): Right[] =>
  rights.filter(({ actions }) => actions.includes(action));

/** Lists the functions with a permission that matches, and their matching actions. */
export const whoMay = (pattern: RegExp): Record<string, string[]> =>
  Object.fromEntries(
    functionNames.flatMap((name) => {
      const actions = rightsOf(name).flatMap((right) => right.actions.filter((action) => pattern.test(action)));
      return actions.length > 0 ? [[name, actions.sort()]] : [];
    }),
  );

/** The attributes that the function may write, for each of its statements about a table. */
export const writable = (name: FunctionName, table: TableName): string[][] =>
  allowing(rightsOf(name), 'dynamodb:UpdateItem')
    .filter(({ resources }) => resources.toLowerCase().includes(`table${table.replaceAll('-', '')}`))
    .map(({ condition }) => condition?.['ForAllValues:StringEquals']?.['dynamodb:Attributes'] as string[]);
