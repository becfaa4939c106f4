import {
  type CloudFormationClient,
  DeleteStackCommand,
  DescribeStacksCommand,
  type Stack,
  UpdateTerminationProtectionCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
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
import { Refusal } from '../failures.ts';

/** The stacks of a stage, each before the stacks whose values it uses. */
export const stackParts = [
  'deployer',
  'observability',
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
 * The states of a stack whose first deployment failed: it has never worked. CDK sets termination protection before it
 * creates a stack, so it cannot delete such a stack to recreate it.
 */
const NEVER_CREATED = ['CREATE_FAILED', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];

/** Returns whether the first deployment of the stack failed. */
export const hasNeverWorked = (stack: Stack | undefined): boolean => NEVER_CREATED.includes(stack?.StackStatus ?? '');

const STACK_SECONDS = 600;
const TABLE_SECONDS = 120;

type Clients = {
  cloudFormationIn: (region: string | undefined) => CloudFormationClient;
  dynamodb: DynamoDBClient;
  named: Names;
};

/** Lists the stacks of a stage whose first deployment failed, each before those whose values it uses. */
export async function failedStacks(clients: Pick<Clients, 'cloudFormationIn' | 'named'>): Promise<Stack[]> {
  const found = await Promise.all(stackParts.map((part) => stackOfPart(part, clients)));
  return found.filter((stack): stack is Stack => hasNeverWorked(stack));
}

/** Reads a stack of a stage, in its region; undefined if it does not exist. */
export const stackOfPart = (
  part: StackPart,
  { cloudFormationIn, named }: Pick<Clients, 'cloudFormationIn' | 'named'>,
): Promise<Stack | undefined> => stackOf(cloudFormationIn(otherRegionOf(part)), named.stack(part));

async function stackOf(client: CloudFormationClient, StackName: string): Promise<Stack | undefined> {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message))
      return undefined;
    throw error;
  }
}

/**
 * Lists the tables that a failed stack has created and that outlive it, because tables are protected from deletion. A
 * table that existed before the stack is not listed: it holds the data of an earlier one.
 * @throws Refusal holds_data if one of them contains items.
 */
export async function tablesLeftBy(stack: Stack, { dynamodb, named }: Clients): Promise<string[]> {
  if (stack.StackName !== named.stack('data')) return [];
  const left: string[] = [];
  for (const TableName of Object.keys(tables).map(named.table)) {
    const createdAt = await creationOf(dynamodb, TableName);
    if (createdAt === undefined || wholeSeconds(createdAt) < wholeSeconds(stack.CreationTime ?? new Date())) continue;
    const { Count = 0 } = await dynamodb.send(new ScanCommand({ TableName, Limit: 1, ConsistentRead: true }));
    if (Count > 0)
      throw new Refusal('holds_data', `Table ${TableName} holds items. Nothing was changed: check them first.`);
    left.push(TableName);
  }
  return left;
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

/** Deletes an empty table that is protected from deletion. */
export async function deleteTable(TableName: string, { dynamodb }: Clients): Promise<void> {
  const waiting = { client: dynamodb, maxWaitTime: TABLE_SECONDS };
  await dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
  await waitUntilTableExists(waiting, { TableName });
  await dynamodb.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists(waiting, { TableName });
}

/** Deletes a stack despite its termination protection, and waits at most 10 minutes for its end. */
export async function deleteStack({ StackId, StackName }: Stack, { cloudFormationIn }: Clients): Promise<void> {
  const cloudFormation = cloudFormationIn(StackId?.split(':')[3]);
  const named = { StackName: StackId ?? StackName };
  await cloudFormation.send(new UpdateTerminationProtectionCommand({ StackName, EnableTerminationProtection: false }));
  await cloudFormation.send(new DeleteStackCommand(named));
  await waitUntilStackDeleteComplete(
    { client: cloudFormation, maxWaitTime: STACK_SECONDS, maxDelay: 10, minDelay: 1 },
    named,
  );
}
