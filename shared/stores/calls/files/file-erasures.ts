import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
  type ObjectIdentifier,
  type S3Client,
} from '@aws-sdk/client-s3';
import { fileKinds } from '../../../domain/organizations/retention.ts';
import { type OfCall, prefixesOfKind, versionPages } from './file-versions.ts';

export type FileErasures = ReturnType<typeof fileErasures>;

const prefixesOf = (call: OfCall): string[] => fileKinds.flatMap((kind) => prefixesOfKind(call, kind));

/**
 * Removes files of calls for good: the bucket of a stage keeps former versions for 30 days, so each version is deleted
 * by its id. The parts of an upload whose worker died would stay for a day. Only operators have the rights.
 */
export function fileErasures(s3: S3Client, bucket: string) {
  async function* versions(prefix: string): AsyncGenerator<ObjectIdentifier[]> {
    for await (const page of versionPages(s3, bucket, prefix)) yield [...page.versions, ...page.deleteMarkers];
  }

  /** Yields the unfinished uploads below a prefix. */
  async function* uploads(prefix: string): AsyncGenerator<MultipartUpload> {
    let position: Pick<ListMultipartUploadsCommandOutput, 'NextKeyMarker' | 'NextUploadIdMarker'> = {};
    do {
      const page: ListMultipartUploadsCommandOutput = await s3.send(
        new ListMultipartUploadsCommand({
          Bucket: bucket,
          Prefix: prefix,
          KeyMarker: position.NextKeyMarker,
          UploadIdMarker: position.NextUploadIdMarker,
        }),
      );
      yield* page.Uploads ?? [];
      position = page.IsTruncated ? page : {};
    } while (position.NextKeyMarker);
  }

  return {
    /** Counts the files of a call, with their former versions and the unfinished uploads. */
    async count(call: OfCall): Promise<number> {
      let count = 0;
      for (const prefix of prefixesOf(call)) {
        for await (const page of versions(prefix)) count += page.length;
        for await (const _ of uploads(prefix)) count += 1;
      }
      return count;
    },

    /**
     * Removes the files of a call with all their versions, and the parts of unfinished uploads; a repeat is a no-op.
     * @throws if S3 refuses one of them
     */
    async remove(call: OfCall): Promise<void> {
      for (const prefix of prefixesOf(call)) {
        // Uploads are aborted first, so that no upload is completed after the versions were listed.
        for await (const { Key, UploadId } of uploads(prefix))
          await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
        for await (const Objects of versions(prefix)) {
          if (Objects.length === 0) continue;
          const { Errors = [] } = await s3.send(
            new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
          );
          if (Errors.length > 0) throw new Error(`S3 did not delete ${Errors.length} files: ${Errors[0]?.Code}`);
        }
      }
    },
  };
}
