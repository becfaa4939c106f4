import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** S3 requires at least 5 MB of every part except the last (Amazon S3, "Multipart upload limits"). */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Stores a stream of unknown length: S3 needs the length of a single request in advance, but not of an upload in parts.
 * The object does not exist before the last step. A failed upload is aborted; the bucket removes the parts of a worker
 * that died (lib/stacks/data.ts).
 * @returns false, and stores nothing, if the stream is empty or longer than `mostBytes`
 * @throws if the stream or S3 fails
 */
export async function uploadStream(
  s3: S3Client,
  { ContentType, Tagging, ...object }: { Bucket: string; Key: string; ContentType: string; Tagging?: string },
  body: Readable,
  mostBytes: number,
): Promise<boolean> {
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ ...object, ContentType, Tagging }));
  const upload = { ...object, UploadId };
  let isStored = false;
  try {
    const Parts: CompletedPart[] = [];
    for await (const Body of partsOf(body, mostBytes)) {
      if (!Body) return false;
      const PartNumber = Parts.length + 1;
      const { ETag } = await s3.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
      Parts.push({ PartNumber, ETag });
    }
    if (Parts.length === 0) return false;
    await s3.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
    isStored = true;
    return true;
  } finally {
    if (!isStored) await s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
  }
}

/** Yields a stream in parts of at least `PART_BYTES`, and the rest; undefined once it is longer than `mostBytes`. */
async function* partsOf(body: Readable, mostBytes: number): AsyncGenerator<Buffer | undefined> {
  let chunks: Buffer[] = [];
  let size = 0;
  let total = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > mostBytes) return yield undefined;
    chunks.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES) continue;
    yield Buffer.concat(chunks);
    [chunks, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(chunks);
}
