import { GetAccountSettingsCommand, GetFunctionConcurrencyCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { functionNames, functionRow } from '../../../../lib/functions.ts';
import type { Stage } from '../../../../lib/stage.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { causeOf } from '../../failures.ts';
import { type Check, type Finding, failed, ok, warning } from './check.ts';
import type { CheckContext } from './check-context.ts';

/** The shards of the stream of a new on-demand table (DynamoDB guide, "On-demand capacity mode"). */
const SHARDS = 4;
/** Left for routes and webhooks. AWS requires that as many stay unreserved (Lambda guide, "Reserved concurrency"). */
const ROUTES = 100;
/** The quota "Concurrent executions" (AWS General Reference, "Lambda quotas"), and its usual value. */
const QUOTA = 'L-B99A9384';
const USUAL = 1_000;

/** Counts the maximum concurrency of the stage's workers, and the concurrency reserved for costly routes. */
export function neededConcurrency({ costlyAtOnce = 0 }: Pick<Stage, 'costlyAtOnce'>) {
  const rows = functionNames.map(functionRow);
  const workers = rows.map(({ trigger }) => {
    if (trigger.kind === 'queue') return trigger.maxConcurrency;
    if (trigger.kind === 'stream') return SHARDS;
    return trigger.kind === 'schedule' ? 1 : 0;
  });
  const costly = rows.filter(({ isCostly }) => isCostly).length;
  return {
    workers: workers.reduce<number>((sum, each) => sum + each, 0),
    costly,
    reserved: costly * costlyAtOnce,
  };
}

/** The costly requests that an organization may have in progress (docs/rest-api.md, "Rate limits"). */
const MAX_OF_AN_ORG = 60;

/** @param most the highest `costlyAtOnce` that leaves enough concurrency for routes and workers */
const adviceOf = (most: number): string =>
  most > 0 ? ` costlyAtOnce is not set: ${Math.min(most, MAX_OF_AN_ORG)} fits, and keeps routes and workers free.` : '';

type Account = {
  /** The account's concurrency in the region. */
  limit: number;
  /** The unreserved part. */
  unreserved: number;
  /** The sum of the reservations that the stage's functions have so far. */
  own: number;
};

/** Judges whether the account's concurrency is sufficient with the reservations that the next deployment makes. */
export function assessConcurrency(
  { limit, unreserved, own }: Account,
  { workers, costly, reserved }: ReturnType<typeof neededConcurrency>,
  aws: CheckContext['aws'],
): Finding {
  const free = unreserved + own - reserved;
  const needed = workers + ROUTES;
  if (free >= needed)
    return ok(
      `${free} functions may run at once; the workers need ${workers}, and routes have ${free - workers}.` +
        (reserved === 0 ? adviceOf(Math.floor((free - needed) / costly)) : ''),
    );
  const desired = Math.max(USUAL, limit - free + needed);
  const fix = aws(
    `service-quotas request-service-quota-increase --service-code lambda --quota-code ${QUOTA} --desired-value ${desired}`,
  );
  if (reserved > 0 && free < ROUTES)
    return failed(`costlyAtOnce reserves ${reserved} of ${limit}: AWS requires that ${ROUTES} stay unreserved.`, fix);
  if (free < workers)
    return failed(`Only ${free} functions may run at once; the workers alone need ${workers}, and are throttled.`, fix);
  return warning(
    `${free} functions may run at once; the workers need ${workers}, which leaves ${free - workers} for routes.`,
    fix,
  );
}

/** Checks the account's concurrency against the stage's needs. */
export const concurrency: Check = {
  name: 'concurrency',
  rights: 'lambda:GetAccountSettings and lambda:GetFunctionConcurrency',
  async examine({ cloud, settings, aws }) {
    const needed = neededConcurrency(await settings());
    const client = cloud.readOnlyClient(LambdaClient);
    const [{ AccountLimit }, own] = await Promise.all([
      client.send(new GetAccountSettingsCommand()),
      reservedSoFar(client, cloud),
    ]);
    const limit = AccountLimit?.ConcurrentExecutions ?? 0;
    const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? limit;
    return [assessConcurrency({ limit, unreserved, own }, needed, aws)];
  },
};

/** Sums the reservations of the functions that `costlyAtOnce` limits; those that are not deployed have none. */
async function reservedSoFar(client: LambdaClient, { named }: Cloud): Promise<number> {
  const reservations = functionNames
    .filter((name) => functionRow(name).isCostly)
    .map(async (name) => {
      try {
        const command = new GetFunctionConcurrencyCommand({ FunctionName: named.function(name) });
        return (await client.send(command)).ReservedConcurrentExecutions ?? 0;
      } catch (error) {
        if (error instanceof Error && causeOf(error) === 'not_found') return 0;
        throw error;
      }
    });
  return (await Promise.all(reservations)).reduce((sum, each) => sum + each, 0);
}
