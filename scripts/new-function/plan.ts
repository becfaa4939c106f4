import { parseArgs } from 'node:util';
import { areas } from '../../lib/dashboard/row.ts';
import { productShelves } from './shelves.ts';

export const triggers = ['rest', 'dashboard', 'webhook', 'oauth', 'queue', 'stream', 'schedule'] as const;

/** The areas of the dashboard whose routes are for members. */
const memberAreas = areas.filter((area) => area !== 'session');

/** The function to write, with its name in every form that its files need. */
export type Plan = {
  trigger: (typeof triggers)[number];
  /** One of `productShelves`. */
  shelf: string;
  /** One of `memberAreas`; only the trigger `dashboard` uses it. */
  area: string;
  /** dial-call */
  name: string;
  /** dialCall */
  camel: string;
  /** DialCall */
  pascal: string;
};

export class UsageError extends Error {}

const USAGE = `npm run new:function -- TRIGGER NAME [--shelf SHELF] [--area AREA]
  TRIGGER  ${triggers.join(', ')}
  NAME     a verb and its object, for example dial-call
  SHELF    ${productShelves.join(', ')}; calls if left out
  AREA     of the dashboard: ${memberAreas.join(', ')}; calls if left out`;

/** Reads the arguments of the command. @throws {UsageError} */
export function readPlan(args: string[]): Plan {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { shelf: { type: 'string', default: 'calls' }, area: { type: 'string', default: 'calls' } },
  });
  const [givenTrigger, name = ''] = positionals;
  const trigger = triggers.find((known) => known === givenTrigger);
  const shelf = productShelves.find((known) => known === values.shelf);
  const area = memberAreas.find((known) => known === values.area);
  if (!trigger || !shelf || !area || positionals.length !== 2 || !/^[a-z]+(-[a-z0-9]+)+$/.test(name))
    throw new UsageError(USAGE);
  const camel = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return { trigger, shelf, area, name, camel, pascal: camel.charAt(0).toUpperCase() + camel.slice(1) };
}
