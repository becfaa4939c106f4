import { parseArgs } from 'node:util';

export const triggers = ['rest', 'webhook', 'oauth', 'queue', 'stream', 'schedule'] as const;
export const shelves = ['organizations', 'connections', 'calls', 'after-call', 'leads'] as const;

/** The function to write, with its name in every form that its files need. */
export type Plan = {
  trigger: (typeof triggers)[number];
  shelf: (typeof shelves)[number];
  /** dial-call */
  name: string;
  /** dialCall */
  camel: string;
  /** DialCall */
  pascal: string;
};

export class UsageError extends Error {}

const USAGE = `npm run new:function -- TRIGGER NAME [--shelf SHELF]
  TRIGGER  ${triggers.join(', ')}
  NAME     a verb and its object, for example dial-call
  SHELF    ${shelves.join(', ')}; calls if left out`;

/** @throws {UsageError} */
export function readPlan(args: string[]): Plan {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { shelf: { type: 'string', default: 'calls' } },
  });
  const [givenTrigger, name = ''] = positionals;
  const trigger = triggers.find((known) => known === givenTrigger);
  const shelf = shelves.find((known) => known === values.shelf);
  if (!trigger || !shelf || positionals.length !== 2 || !/^[a-z]+(-[a-z0-9]+)+$/.test(name))
    throw new UsageError(USAGE);
  const camel = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return { trigger, shelf, name, camel, pascal: camel.charAt(0).toUpperCase() + camel.slice(1) };
}
