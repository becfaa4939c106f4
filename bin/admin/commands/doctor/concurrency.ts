import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { functionNames, functionRow } from '../../../../lib/functions.ts';
import type { Stage } from '../../../../lib/stage.ts';
import { type Check, type Finding, failed, ok, warning } from './check.ts';
import type { Patient } from './patient.ts';

/** The shards of the stream of a new on-demand table (DynamoDB guide, "On-demand capacity mode"). */
const SHARDS = 4;
/** Room for routes and webhooks; also what AWS requires to stay unreserved (Lambda guide, "Reserved concurrency"). */
const ROUTES = 100;
/** The quota "Concurrent executions" (AWS General Reference, "Lambda quotas"), and its usual value. */
const QUOTA = 'L-B99A9384';
const USUAL = 1_000;

/** Counts how many functions of the stage's workers may run at once, and how many are reserved for costly routes. */
export function neededConcurrency({ costlyAtOnce = 0 }: Pick<Stage, 'costlyAtOnce'>) {
  const rows = functionNames.map(functionRow);
  const workers = rows.map(({ trigger }) => {
    if (trigger.kind === 'queue') return trigger.maxConcurrency;
    if (trigger.kind === 'stream') return SHARDS;
    return trigger.kind === 'schedule' ? 1 : 0;
  });
  return {
    workers: workers.reduce<number>((sum, each) => sum + each, 0),
    reserved: rows.filter(({ isCostly }) => isCostly).length * costlyAtOnce,
  };
}

type Account = {
  /** How many functions of the account may run at once in the region. */
  limit: number;
  /** Those that no function of the account has reserved. */
  unreserved: number;
};

/** Judges whether the account runs enough functions at once. @param isDeployed whether it reserves them already. */
export function judgeConcurrency(
  { limit, unreserved }: Account,
  { workers, reserved }: ReturnType<typeof neededConcurrency>,
  isDeployed: boolean,
  aws: Patient['aws'],
): Finding {
  const free = isDeployed ? unreserved : unreserved - reserved;
  const needed = workers + ROUTES;
  if (free >= needed)
    return ok(`${free} functions may run at once; the workers need ${workers}, and routes have ${free - workers}.`);
  const desired = Math.max(USUAL, limit - free + needed);
  const fix = aws(
    `service-quotas request-service-quota-increase --service-code lambda --quota-code ${QUOTA} --desired-value ${desired}`,
  );
  if (reserved > 0 && free < ROUTES)
    return failed(`costlyAtOnce reserves ${reserved} of ${limit}: AWS requires that ${ROUTES} stay unreserved.`, fix);
  if (free < workers)
    return failed(`Only ${free} functions may run at once; the workers alone need ${workers}, and throttle.`, fix);
  return warning(
    `${free} functions may run at once; the workers need ${workers}, which leaves ${free - workers} for routes.`,
    fix,
  );
}

/** The concurrency of the account against what the stage needs. */
export const concurrency: Check = {
  name: 'concurrency',
  rights: 'lambda:GetAccountSettings',
  async examine({ cloud, settings, stacks, aws }) {
    const needed = neededConcurrency(await settings());
    const { AccountLimit } = await cloud.looking(LambdaClient).send(new GetAccountSettingsCommand());
    const limit = AccountLimit?.ConcurrentExecutions ?? 0;
    const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? limit;
    const isDeployed = (await stacks()).api !== undefined;
    return [judgeConcurrency({ limit, unreserved }, needed, isDeployed, aws)];
  },
};
