import { type FunctionName, functionNames, functionRow } from '../../../lib/functions.ts';

type Trigger = ReturnType<typeof functionRow>['trigger'];
type Triggered<K extends Trigger['kind']> = { name: FunctionName; trigger: Extract<Trigger, { kind: K }> };

/** Lists the functions with one kind of trigger. */
export const triggeredBy = <K extends Trigger['kind']>(kind: K): Triggered<K>[] =>
  functionNames.flatMap((name) => {
    const { trigger } = functionRow(name);
    return trigger.kind === kind ? [{ name, trigger: trigger as Triggered<K>['trigger'] }] : [];
  });

/** The routes of a function, such as `GET /v1/calls/{call_id}`. */
export const routesOf = (name: FunctionName): readonly string[] => {
  const { trigger } = functionRow(name);
  return trigger.kind === 'http' ? trigger.routes : [];
};

/** Returns whether a queue or a stream starts the function. */
export const hasEventSource = (name: FunctionName): boolean =>
  ['queue', 'stream'].includes(functionRow(name).trigger.kind);

/** Returns whether a CRM sends its leads to the function. */
export const takesLeads = (name: FunctionName): boolean => name.startsWith('receive-crm-');

/** Returns whether the function answers a route of the dashboard. */
export const isOfDashboard = (name: FunctionName): boolean => {
  const { trigger } = functionRow(name);
  return trigger.kind === 'http' && trigger.isDashboard === true;
};
