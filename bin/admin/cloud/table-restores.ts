import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetResourcePolicyCommand,
  ListTagsOfResourceCommand,
  PolicyNotFoundException,
  PutResourcePolicyCommand,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  TagResourceCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import type { TableRow } from '../../../lib/tables.ts';
import { sleep } from '../../../shared/runtime/clock.ts';

/** Most restores end within an hour (DynamoDB guide, "Point-in-time recovery"); large tables take longer. */
const RESTORE_SECONDS = 6 * 3_600;
const UPDATE_SECONDS = 600;
/** Backups of a new table are refused for a while (DynamoDB API, ContinuousBackupsUnavailableException). */
const BACKUP_TRIES = 30;
const BACKUP_WAIT_MS = 10_000;

/** Tag of a restored table: the table that it was restored from. */
const RESTORED_FROM = 'restored-from';

/**
 * Reads the period to which a table can be restored; undefined without point-in-time recovery.
 * @throws TableNotFoundException
 */
export async function restorable(db: DynamoDBClient, TableName: string): Promise<{ from: Date; to: Date } | undefined> {
  const { ContinuousBackupsDescription } = await db.send(new DescribeContinuousBackupsCommand({ TableName }));
  const { EarliestRestorableDateTime: from, LatestRestorableDateTime: to } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  return from && to && { from, to };
}

/** The state of the table that a restore creates: absent, begun by the same restore, or another table. */
type Target = 'absent' | 'begun' | 'another';

/**
 * Compares an existing table with a restore (its RestoreSummary): the same source at the same second.
 * @returns `begun` for a table that an interrupted run has begun to restore, even if it has changed since
 */
export async function targetOf(
  db: DynamoDBClient,
  { source, target, to }: { source: string; target: string; to: Date },
): Promise<Target> {
  const existing = await describeIfExists(db, target);
  if (!existing) return 'absent';
  const { SourceTableArn, RestoreDateTime } = existing.RestoreSummary ?? {};
  const isSame = SourceTableArn === (await describe(db, source)).TableArn && isSameSecond(RestoreDateTime, to);
  return isSame ? 'begun' : 'another';
}

const isSameSecond = (one: Date | undefined, other: Date): boolean =>
  one !== undefined && Math.floor(one.getTime() / 1_000) === Math.floor(other.getTime() / 1_000);

/**
 * Restores a table beside the one in use, and gives it the settings that a restore does not copy: time to live, stream,
 * backups, deletion protection, tags and policy (DynamoDB guide, "Restoring a table to a point in time"). A repeat
 * continues an interrupted run. Waits up to 6 hours.
 * @param target a name for which `targetOf` returns `absent` or `begun`
 * @returns the settings that the restored table lacks
 */
export async function restoreTable(
  db: DynamoDBClient,
  { source, target, inUse, to, row }: { source: string; target: string; inUse: string; to: Date; row: TableRow },
): Promise<string[]> {
  const former = await describe(db, inUse);
  await begin(db, source, target, to);
  const waiting = { client: db, maxWaitTime: RESTORE_SECONDS, minDelay: 1, maxDelay: 30 };
  await waitUntilTableExists(waiting, { TableName: target });
  const found = await describe(db, target);
  // One change at a time, because a table that is being updated refuses the next one.
  if (row.hasStream && !found.StreamSpecification?.StreamEnabled)
    await update(db, target, { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } });
  if (!found.DeletionProtectionEnabled) await update(db, target, { DeletionProtectionEnabled: true });
  if (row.expiresAt) await enableExpiry(db, target, row.expiresAt);
  await enableBackups(db, target);
  await copyTags(db, former.TableArn ?? '', found.TableArn ?? '', source);
  const hasPolicy = !row.isAppendOnly || (await copyPolicy(db, former.TableArn ?? '', found.TableArn ?? ''));
  return [
    ...missingSettings(former, await describe(db, target), row),
    ...(hasPolicy ? [] : ['the policy that denies changes']),
  ];
}

async function describe(db: DynamoDBClient, TableName: string): Promise<TableDescription> {
  return (await db.send(new DescribeTableCommand({ TableName }))).Table ?? {};
}

async function describeIfExists(db: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return await describe(db, TableName);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** The errors for a name whose table exists, or is being created or deleted. */
const TAKEN = ['TableAlreadyExistsException', 'TableInUseException'];

/** Begins a restore, unless an interrupted run has begun it (`targetOf`). */
async function begin(db: DynamoDBClient, SourceTableName: string, TargetTableName: string, to: Date): Promise<void> {
  try {
    await db.send(new RestoreTableToPointInTimeCommand({ SourceTableName, TargetTableName, RestoreDateTime: to }));
  } catch (error) {
    if (!(error instanceof Error) || !TAKEN.includes(error.name)) throw error;
    const existing = await describeIfExists(db, TargetTableName);
    if (!existing || existing.TableStatus === 'DELETING') throw error;
  }
}

async function update(db: DynamoDBClient, TableName: string, change: object): Promise<void> {
  await db.send(new UpdateTableCommand({ TableName, ...change }));
  await waitUntilTableExists({ client: db, maxWaitTime: UPDATE_SECONDS, minDelay: 1, maxDelay: 10 }, { TableName });
}

async function enableExpiry(db: DynamoDBClient, TableName: string, AttributeName: string): Promise<void> {
  const { TimeToLiveDescription } = await db.send(new DescribeTimeToLiveCommand({ TableName }));
  if (/^ENABL/.test(TimeToLiveDescription?.TimeToLiveStatus ?? '')) return;
  await db.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled: true } }));
}

async function enableBackups(db: DynamoDBClient, TableName: string): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      await db.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
      return;
    } catch (error) {
      const isEarly = error instanceof Error && error.name === 'ContinuousBackupsUnavailableException';
      if (!isEarly || tries === BACKUP_TRIES) throw error;
      await sleep(BACKUP_WAIT_MS);
    }
}

/** AWS's own tags, which name the stack, cannot be copied; the import sets them. */
async function copyTags(db: DynamoDBClient, from: string, to: string, source: string): Promise<void> {
  const { Tags = [] } = await db.send(new ListTagsOfResourceCommand({ ResourceArn: from }));
  const own = Tags.filter(({ Key = '' }) => !Key.startsWith('aws:') && Key !== RESTORED_FROM);
  await db.send(new TagResourceCommand({ ResourceArn: to, Tags: [...own, { Key: RESTORED_FROM, Value: source }] }));
}

/** @returns false if the former table has none. */
async function copyPolicy(db: DynamoDBClient, from: string, to: string): Promise<boolean> {
  try {
    const { Policy } = await db.send(new GetResourcePolicyCommand({ ResourceArn: from }));
    await db.send(new PutResourcePolicyCommand({ ResourceArn: to, Policy }));
    return true;
  } catch (error) {
    if (error instanceof PolicyNotFoundException) return false;
    throw error;
  }
}

/** Names the settings of the table in use that a restored table lacks. */
function missingSettings(former: TableDescription, restored: TableDescription, row: TableRow): string[] {
  const indexes = restored.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? [];
  const missing = (former.GlobalSecondaryIndexes ?? []).filter(({ IndexName }) => !indexes.includes(IndexName));
  return [
    ...missing.map(({ IndexName }) => `the index ${IndexName}`),
    ...(row.hasStream && !restored.StreamSpecification?.StreamEnabled ? ['its stream'] : []),
    ...(!restored.DeletionProtectionEnabled ? ['deletion protection'] : []),
  ];
}

/** Reads the source and the point in time of a table that `restoreTable` restored; undefined for another table. */
export async function originOf(
  db: DynamoDBClient,
  TableName: string,
): Promise<{ source: string; to: Date | undefined } | undefined> {
  const { TableArn: ResourceArn, RestoreSummary } = await describe(db, TableName);
  const { Tags = [] } = await db.send(new ListTagsOfResourceCommand({ ResourceArn }));
  const source = Tags.find(({ Key }) => Key === RESTORED_FROM)?.Value;
  return source === undefined ? undefined : { source, to: RestoreSummary?.RestoreDateTime };
}

/** Returns whether a table exists. */
export async function exists(db: DynamoDBClient, TableName: string): Promise<boolean> {
  return (await describeIfExists(db, TableName)) !== undefined;
}
