import {
  type CloudFormationClient,
  DeleteStackCommand,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  RollbackStackCommand,
  type Stack,
  UpdateTerminationProtectionCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import {
  type CognitoIdentityProviderClient,
  DeleteUserPoolCommand,
  ListUsersCommand,
  ResourceNotFoundException as NoSuchPool,
  UpdateUserPoolCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  ScanCommand,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import type { Names } from '../../../lib/names.ts';
import { CLOUDFRONT_REGION } from '../../../lib/own-names.ts';
import { tables } from '../../../lib/tables.ts';
import { sleep } from '../../../shared/runtime/clock.ts';
import { isNoStack, Refusal } from '../failures.ts';

/** The stacks of a stage, each before the stacks whose values it uses. */
export const stackParts = [
  'deployer',
  'observability',
  'pages',
  'dashboard',
  'api',
  'workers',
  'edge',
  'dashboard-certificate',
  'certificates',
  'messaging',
  'data',
] as const;

export type StackPart = (typeof stackParts)[number];

/** Returns the region of a stack that is not in the stage's region. */
export const otherRegionOf = (part: StackPart): string | undefined =>
  part === 'dashboard-certificate' ? CLOUDFRONT_REGION : undefined;

/**
 * The states of a stack whose first deployment or whose deletion failed: CloudFormation can only delete it. The CDK
 * cannot delete it to recreate it, because it sets termination protection before it creates a stack.
 */
const ONLY_DELETABLE = ['CREATE_FAILED', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'DELETE_FAILED'];

/** Returns whether no deployment can update the stack, so that it must be deleted before the next one. */
export const canOnlyBeDeleted = (stack: Stack | undefined): boolean =>
  ONLY_DELETABLE.includes(stack?.StackStatus ?? '');

const STACK_SECONDS = 600;
const STACK_POLL_MS = 1_000;
const TABLE_SECONDS = 120;

type Clients = {
  cloudFormationIn: (region: string | undefined) => CloudFormationClient;
  dynamodb: DynamoDBClient;
  cognito: CognitoIdentityProviderClient;
  named: Names;
};

/** Tables (by name) and user pools (by id) that outlive a failed stack because they are protected from deletion. */
export type Leftovers = { tables: string[]; userPools: string[] };

/**
 * Lists the stacks of a stage whose first deployment or deletion failed, each before those whose values it uses, and
 * the stacks that CloudFormation is still changing, which may still fail.
 */
export async function stacksToRepair(
  clients: Pick<Clients, 'cloudFormationIn' | 'named'>,
): Promise<{ failed: Stack[]; inProgress: Stack[] }> {
  const found = await Promise.all(stackParts.map((part) => stackOfPart(part, clients)));
  const stacks = found.filter((stack) => stack !== undefined);
  return { failed: stacks.filter(canOnlyBeDeleted), inProgress: stacks.filter(isInProgress) };
}

const isInProgress = (stack: Stack | undefined): boolean => stack?.StackStatus?.endsWith('_IN_PROGRESS') ?? false;

/**
 * The state of a stack without resources: its first deployment was prepared but not started, because a person refused
 * the deployment or CloudFormation rejected the template. The next `cdk deploy` creates the stack.
 */
const ONLY_PREPARED = 'REVIEW_IN_PROGRESS';

/** Reads a stack of a stage, in its region; undefined if it does not exist, or is only prepared. */
export const stackOfPart = (
  part: StackPart,
  { cloudFormationIn, named }: Pick<Clients, 'cloudFormationIn' | 'named'>,
): Promise<Stack | undefined> => stackOf(cloudFormationIn(otherRegionOf(part)), named.stack(part));

async function stackOf(client: CloudFormationClient, StackName: string): Promise<Stack | undefined> {
  try {
    const [stack] = (await client.send(new DescribeStacksCommand({ StackName }))).Stacks ?? [];
    return stack?.StackStatus === ONLY_PREPARED ? undefined : stack;
  } catch (error) {
    if (isNoStack(error)) return undefined;
    throw error;
  }
}

/**
 * Lists the tables and the user pools that a failed stack has created and that outlive it, because they are protected
 * from deletion.
 * @throws Refusal holds_data if one of them contains items or users.
 */
export async function leftoversOf(stack: Stack, clients: Clients): Promise<Leftovers> {
  if (stack.StackName !== clients.named.stack('data')) return { tables: [], userPools: [] };
  return { tables: await leftoverTables(stack, clients), userPools: await leftoverUserPools(stack, clients) };
}

/** Leaves out tables that existed before the stack: they hold the data of an earlier stack. */
async function leftoverTables(stack: Stack, { dynamodb, named }: Clients): Promise<string[]> {
  const found: string[] = [];
  for (const TableName of Object.keys(tables).map(named.table)) {
    const createdAt = await creationOf(dynamodb, TableName);
    if (createdAt === undefined || wholeSeconds(createdAt) < wholeSeconds(stack.CreationTime ?? new Date())) continue;
    const { Count = 0 } = await dynamodb.send(new ScanCommand({ TableName, Limit: 1, ConsistentRead: true }));
    if (Count > 0)
      throw new Refusal('holds_data', `Table ${TableName} holds items. Nothing was changed: check them first.`);
    found.push(TableName);
  }
  return found;
}

async function leftoverUserPools({ StackId }: Stack, { cloudFormationIn, cognito }: Clients): Promise<string[]> {
  const { StackResources = [] } = await cloudFormationIn(undefined).send(
    new DescribeStackResourcesCommand({ StackName: StackId }),
  );
  const found: string[] = [];
  for (const { ResourceType, PhysicalResourceId: UserPoolId } of StackResources) {
    if (ResourceType !== 'AWS::Cognito::UserPool' || !UserPoolId) continue;
    const users = await usersOf(cognito, UserPoolId);
    if (users === undefined) continue;
    if (users > 0)
      throw new Refusal('holds_data', `User pool ${UserPoolId} has users. Nothing was changed: check them first.`);
    found.push(UserPoolId);
  }
  return found;
}

/** Returns 0 for an empty user pool, 1 for one with users, and undefined if it does not exist. */
async function usersOf(cognito: CognitoIdentityProviderClient, UserPoolId: string): Promise<number | undefined> {
  try {
    return (await cognito.send(new ListUsersCommand({ UserPoolId, Limit: 1 }))).Users?.length ?? 0;
  } catch (error) {
    if (error instanceof NoSuchPool) return undefined;
    throw error;
  }
}

/** DynamoDB may omit the milliseconds. */
const wholeSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

async function creationOf(dynamodb: DynamoDBClient, TableName: string): Promise<Date | undefined> {
  try {
    return (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table?.CreationDateTime;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Deletes empty tables and user pools that are protected from deletion. */
export async function deleteLeftovers(
  { tables: tableNames, userPools }: Leftovers,
  { dynamodb, cognito }: Clients,
): Promise<void> {
  const waiting = { client: dynamodb, maxWaitTime: TABLE_SECONDS };
  for (const TableName of tableNames) {
    await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
    await waitUntilTableExists(waiting, { TableName });
    await dynamodb.send(new DeleteTableCommand({ TableName }));
    await waitUntilTableNotExists(waiting, { TableName });
  }
  for (const UserPoolId of userPools) {
    await cognito.send(new UpdateUserPoolCommand({ UserPoolId, DeletionProtection: 'INACTIVE' }));
    await cognito.send(new DeleteUserPoolCommand({ UserPoolId }));
  }
}

/**
 * Deletes a stack that can only be deleted, despite its termination protection. Waits at most 10 minutes for the end of
 * each step. @throws Refusal in_progress
 */
export async function deleteStack({ StackId, StackName, StackStatus }: Stack, clients: Clients): Promise<void> {
  const cloudFormation = clients.cloudFormationIn(StackId?.split(':')[3]);
  const named = { StackName: StackId ?? StackName };
  // A deletion retains secrets and keys, whose names the next deployment needs; a rollback removes them.
  if (StackStatus === 'CREATE_FAILED') await rollBack(cloudFormation, named.StackName);
  await cloudFormation.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
  await cloudFormation.send(new DeleteStackCommand(named));
  try {
    await waitUntilStackDeleteComplete(
      { client: cloudFormation, maxWaitTime: STACK_SECONDS, maxDelay: 10, minDelay: 1 },
      named,
    );
  } catch (error) {
    // A distribution alone may take longer.
    if (error instanceof Error && error.name === 'TimeoutError') throw stillInProgress('deletion', StackName);
    throw error;
  }
}

const stillInProgress = (step: string, stack: string | undefined) =>
  new Refusal(
    'in_progress',
    `The ${step} of ${stack} is not finished after ${STACK_SECONDS / 60} minutes: run the command again later.`,
  );

/**
 * Removes the resources of a stack whose creation failed without a rollback (`cdk deploy --no-rollback`).
 * @throws Refusal in_progress after 10 minutes. A repeat of the command continues
 */
async function rollBack(cloudFormation: CloudFormationClient, StackName: string | undefined): Promise<void> {
  await cloudFormation.send(new RollbackStackCommand({ StackName, RetainExceptOnCreate: true }));
  const end = performance.now() + STACK_SECONDS * 1000;
  while (performance.now() < end) {
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
    if (!isInProgress(Stacks?.[0])) return;
    await sleep(STACK_POLL_MS);
  }
  throw stillInProgress('rollback', StackName);
}
