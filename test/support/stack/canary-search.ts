import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type TableName, tables } from '../../../lib/tables.ts';
import type { TestOrg } from '../organizations/orgs.ts';
import { bucketFolders } from './bucket-folders.ts';
import { uploadsBelow, versionsBelow } from './bucket-listing.ts';
import { db, filesBucket, named, s3 } from './stack.ts';

/**
 * Searches all items of all tables, the files of an organization with their former versions, and the keys of its
 * unfinished uploads, for canaries.
 * @returns the place of each canary found @throws if the bucket has a folder that the search does not know
 */
export async function canariesLeft(org: TestOrg, words: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const note = (place: string, text: string) => {
    for (const word of words) if (text.includes(word)) found.add(`${place}: ${word}`);
  };
  const replacer = (_: string, value: unknown) => (value instanceof Set ? [...value] : value);
  for (const table of Object.keys(tables) as TableName[]) {
    let from: Record<string, unknown> | undefined;
    do {
      const page = await db.send(new ScanCommand({ TableName: named.table(table), ExclusiveStartKey: from }));
      for (const item of page.Items ?? []) note(table, JSON.stringify(item, replacer));
      from = page.LastEvaluatedKey;
    } while (from);
  }
  const Bucket = await filesBucket();
  const { CommonPrefixes = [] } = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }));
  const unknown = CommonPrefixes.flatMap(({ Prefix = '' }) => (bucketFolders[Prefix] ? [] : [Prefix]));
  if (unknown.length > 0) throw new Error(`the search does not know the folders ${unknown.join(', ')}`);
  for (const below of Object.values(bucketFolders)) {
    const Prefix = below(org.orgId);
    for await (const { Key = '', VersionId } of versionsBelow(s3, Bucket, Prefix))
      note(Key, `${Key} ${await contentOf(Bucket, Key, VersionId)}`);
    for await (const { Key = '' } of uploadsBelow(s3, Bucket, Prefix)) note(`upload of ${Key}`, Key);
  }
  return [...found];
}

async function contentOf(Bucket: string, Key: string, VersionId: string | undefined): Promise<string> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key, ...(VersionId && { VersionId }) }));
    return (await Body?.transformToString('latin1')) ?? '';
  } catch (error) {
    // A worker has meanwhile removed a reported transcript of another test.
    if (['NoSuchKey', 'NoSuchVersion'].includes((error as Error).name)) return '';
    throw error;
  }
}
