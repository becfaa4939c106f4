import { GetObjectCommand, HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** Long enough for a browser to start; a running download is not interrupted. */
const LINK_SECONDS = 5 * 60;

/** A file of its own, so that functions that only store recordings do not bundle the signing. */
export const recordingLinks =
  (s3: S3Client, bucket: string) =>
  /**
   * @param fileName of a download; absent to play it.
   * @returns a link that opens the recording for five minutes, without credentials.
   */
  (key: string, fileName?: string): Promise<string> =>
    getSignedUrl(
      s3,
      new GetObjectCommand({
        Bucket: bucket,
        Key: key,
        ...(fileName && { ResponseContentDisposition: `attachment; filename="${fileName}"` }),
      }),
      { expiresIn: LINK_SECONDS },
    );

/** Without permission to list the bucket, S3 answers 403 for a missing object. */
const MISSING = [403, 404];

/** @returns whether the bucket has a recording: it may be removed while its call still names it. */
export const recordingPresence =
  (s3: S3Client, bucket: string) =>
  async (key: string): Promise<boolean> => {
    try {
      await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
      return true;
    } catch (error) {
      if (error instanceof S3ServiceException && MISSING.includes(error.$metadata.httpStatusCode ?? 0)) return false;
      throw error;
    }
  };
