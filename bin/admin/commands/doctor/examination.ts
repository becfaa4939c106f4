import type { Cloud } from '../../cloud/cloud.ts';
import { alarms } from './alarms.ts';
import { certificates } from './certificates.ts';
import { type Check, examined, type Finding } from './check.ts';
import { checkContextOf } from './check-context.ts';
import { clock } from './clock.ts';
import { concurrency } from './concurrency.ts';
import { countries } from './countries.ts';
import { mail } from './mail.ts';
import { model, modelAnswer } from './model.ts';
import { number } from './number.ts';
import { numbers } from './numbers.ts';
import { secrets } from './secrets.ts';
import { settings } from './settings.ts';
import { protection, stacks } from './stacks.ts';
import { tables } from './tables.ts';

const checks: readonly Check[] = [
  settings,
  clock,
  concurrency,
  model,
  mail,
  certificates,
  stacks,
  protection,
  tables,
  alarms,
  secrets,
  number,
  countries,
  numbers,
];

/** Runs all checks concurrently. @returns their findings, in the order of the checks. */
export async function examination(
  cloud: Cloud,
  { tryModel }: { tryModel: boolean },
): Promise<(Finding & { check: string })[]> {
  const context = checkContextOf(cloud);
  const all = tryModel ? [...checks, modelAnswer] : checks;
  const found = await Promise.all(
    all.map(async (check) => (await examined(check, context)).map((finding) => ({ check: check.name, ...finding }))),
  );
  return found.flat();
}
