import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** Long enough for a browser to begin; a download under way goes on. */
const LINK_SECONDS = 5 * 60;

/** Links to recordings in the private bucket, apart from its other uses: whoever only stores must not carry the signing. */
export const recordingLinks =
  (s3: S3Client, bucket: string) =>
  /** @param key of the recording. @returns a link that whoever has it can open for five minutes. */
  (key: string): Promise<string> =>
    getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: key }), { expiresIn: LINK_SECONDS });
