import {
  DeleteObjectTaggingCommand,
  ListObjectsV2Command,
  PutObjectTaggingCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Call } from '../../../domain/calls/call.ts';
import { type FileKind, RETENTION_TAG } from '../../../domain/organizations/retention.ts';

export type FileRetention = ReturnType<typeof fileRetention>;

type OfCall = Pick<Call, 'org_id' | 'call_id'>;

/** Lists the prefixes of a call's keys. The dot ends the id, so that a longer id does not match. */
export const prefixesOfKind = ({ org_id, call_id }: OfCall, kind: FileKind): string[] =>
  kind === 'recordings'
    ? [`recordings/${org_id}/${call_id}.`]
    : [`transcripts/${org_id}/${call_id}.`, `reported-transcripts/${call_id}.`];

/** Changes how long the bucket keeps existing files. Only operators have the rights. */
export function fileRetention(s3: S3Client, bucket: string) {
  return {
    /** Lists the keys of a call's files of a kind: a handful. */
    async keysOf(call: OfCall, kind: FileKind): Promise<string[]> {
      const keys: string[] = [];
      for (const Prefix of prefixesOfKind(call, kind)) {
        const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
        keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
      }
      return keys;
    },

    /**
     * Tags a file with its retention. A file that the bucket has removed since is not a failure.
     * @param days undefined for no limit
     */
    async keep(Key: string, days: number | undefined): Promise<void> {
      const object = { Bucket: bucket, Key };
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

/** S3 answers 405 for a key whose newest version is a delete marker (Amazon S3 user guide, "Delete markers"). */
const isGone = (error: unknown): boolean =>
  error instanceof S3ServiceException && [404, 405].includes(error.$metadata.httpStatusCode ?? 0);
