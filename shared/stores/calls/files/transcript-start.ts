import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';

export type TranscriptStart = { text: string; isCut: boolean };

/**
 * Builds a reader of the first bytes of transcripts. It has its own file, so that functions that only read transcripts
 * do not bundle the uploads.
 */
export const transcriptStart =
  (s3: S3Client, bucket: string) =>
  /** Reads the first `mostBytes` of a transcript, and whether it has more. */
  async (key: string, mostBytes: number): Promise<TranscriptStart> => {
    const Range = `bytes=0-${mostBytes - 1}`;
    const { Body, ContentRange = '' } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range }));
    const text = (await Body?.transformToString('utf8')) ?? '';
    const isCut = Number(ContentRange.split('/')[1] ?? 0) > mostBytes;
    // The cut may split a character.
    return { text: isCut ? text.replace(/\uFFFD$/, '') : text, isCut };
  };
