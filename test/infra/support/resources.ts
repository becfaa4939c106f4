import type { Resource, Synthesized } from './synthesize.ts';

/** Our functions, without the CDK's own function, which uploads the dashboard's pages. */
export const functionsOf = (app: Synthesized): Resource[] =>
  app.ofType('AWS::Lambda::Function').filter(({ id }) => !id.startsWith('CustomCDKBucketDeployment'));

/** The name of a function in the list of functions. */
export const nameOf = (lambda: Resource): string => lambda.Properties.Environment.Variables.SERVICE_NAME;

export const isDeadLetters = (queue: Resource): boolean => queue.Properties.QueueName.endsWith('-dead-letters');

/** Templates leave out the brackets of a list with one entry. */
export const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

export const mentions = (value: unknown, text: string): boolean => JSON.stringify(value).includes(text);
export const isBetween = (least: number, value: number, most: number): boolean => least <= value && value <= most;
