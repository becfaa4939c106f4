import {
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type MultipartUpload,
  type ObjectVersion,
  type S3Client,
} from '@aws-sdk/client-s3';

// The proofs of erasures need listings of their own: those of shared/stores/ are part of what the proofs check.

/** Yields all present and former versions below a prefix. */
export async function* versionsBelow(s3: S3Client, Bucket: string, Prefix: string): AsyncGenerator<ObjectVersion> {
  let page: Partial<ListObjectVersionsCommandOutput> = {};
  do {
    const { NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
    page = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix, KeyMarker, VersionIdMarker }));
    yield* page.Versions ?? [];
  } while (page.IsTruncated);
}

/** Yields all unfinished uploads below a prefix. */
export async function* uploadsBelow(s3: S3Client, Bucket: string, Prefix: string): AsyncGenerator<MultipartUpload> {
  let page: Partial<ListMultipartUploadsCommandOutput> = {};
  do {
    const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
    page = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix, KeyMarker, UploadIdMarker }));
    yield* page.Uploads ?? [];
  } while (page.IsTruncated);
}
