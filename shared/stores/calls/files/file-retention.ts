import {
  DeleteObjectTaggingCommand,
  type ObjectIdentifier,
  PutObjectTaggingCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { type FileKind, RETENTION_TAG } from '../../../domain/organizations/retention.ts';
import { isGone } from './call-files.ts';
import { type OfCall, prefixesOfKind, versionPages } from './file-versions.ts';

export type FileRetention = ReturnType<typeof fileRetention>;

/** Changes how long the bucket keeps existing files. Only operators have the rights. */
export function fileRetention(s3: S3Client, bucket: string) {
  return {
    /** Lists a call's files of a kind, a handful, with their former versions: a repeated report replaces a file. */
    async versionsOf(call: OfCall, kind: FileKind): Promise<ObjectIdentifier[]> {
      const found: ObjectIdentifier[] = [];
      for (const prefix of prefixesOfKind(call, kind))
        for await (const { versions } of versionPages(s3, bucket, prefix)) found.push(...versions);
      return found;
    },

    /**
     * Tags a version of a file with its retention. A version that the bucket has removed since is not a failure.
     * @param days undefined for no limit
     */
    async keep({ Key, VersionId }: ObjectIdentifier, days: number | undefined): Promise<void> {
      // A bucket without versioning names the only version `null`.
      const object = { Bucket: bucket, Key, ...(VersionId !== 'null' && { VersionId }) };
      const TagSet = [{ Key: RETENTION_TAG, Value: String(days) }];
      try {
        if (days === undefined) await s3.send(new DeleteObjectTaggingCommand(object));
        else await s3.send(new PutObjectTaggingCommand({ ...object, Tagging: { TagSet } }));
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    },
  };
}
