import {
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectIdentifier,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Call } from '../../../domain/calls/call.ts';
import type { FileKind } from '../../../domain/organizations/retention.ts';

export type OfCall = Pick<Call, 'org_id' | 'call_id'>;

/** Lists the prefixes of a call's keys. The dot ends the id, so that a longer id does not match. */
export const prefixesOfKind = ({ org_id, call_id }: OfCall, kind: FileKind): string[] =>
  kind === 'recordings'
    ? [`recordings/${org_id}/${call_id}.`]
    : [`transcripts/${org_id}/${call_id}.`, `reported-transcripts/${call_id}.`];

/** Versions of objects, and delete markers, which are versions without content. */
export type VersionPage = { versions: ObjectIdentifier[]; deleteMarkers: ObjectIdentifier[] };

/**
 * Yields the present and former versions below a prefix in pages of 1,000, which is also the most that one request
 * deletes.
 */
export async function* versionPages(s3: S3Client, bucket: string, prefix: string): AsyncGenerator<VersionPage> {
  let position: Pick<ListObjectVersionsCommandOutput, 'NextKeyMarker' | 'NextVersionIdMarker'> = {};
  do {
    const page: ListObjectVersionsCommandOutput = await s3.send(
      new ListObjectVersionsCommand({
        Bucket: bucket,
        Prefix: prefix,
        KeyMarker: position.NextKeyMarker,
        VersionIdMarker: position.NextVersionIdMarker,
      }),
    );
    yield {
      versions: (page.Versions ?? []).map(identified),
      deleteMarkers: (page.DeleteMarkers ?? []).map(identified),
    };
    position = page.IsTruncated ? page : {};
  } while (position.NextKeyMarker);
}

const identified = ({ Key = '', VersionId }: Partial<ObjectIdentifier>): ObjectIdentifier => ({
  Key,
  ...(VersionId && { VersionId }),
});
