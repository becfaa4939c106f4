import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { functionNames, functionRow } from '../../../../lib/functions.ts';
import type { Stage } from '../../../../lib/stage.ts';
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
};

/**
 * Judges whether the account's concurrency is sufficient.
 * @param isDeployed whether `unreserved` already excludes the stage's own reservations
 */
export function assessConcurrency(
  { limit, unreserved }: Account,
  { workers, costly, reserved }: ReturnType<typeof neededConcurrency>,
  isDeployed: boolean,
  aws: CheckContext['aws'],
): Finding {
  const free = isDeployed ? unreserved : unreserved - reserved;
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
  rights: 'lambda:GetAccountSettings',
  async examine({ cloud, settings, stacks, aws }) {
    const needed = neededConcurrency(await settings());
    const { AccountLimit } = await cloud.readOnlyClient(LambdaClient).send(new GetAccountSettingsCommand());
    const limit = AccountLimit?.ConcurrentExecutions ?? 0;
    const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? limit;
    const isDeployed = (await stacks()).api !== undefined;
    return [assessConcurrency({ limit, unreserved }, needed, isDeployed, aws)];
  },
};
