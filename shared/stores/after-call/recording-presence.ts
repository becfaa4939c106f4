import { HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';

/** Without permission to list the bucket, S3 answers 403 for a missing object. */
const MISSING = [403, 404];

/** Returns whether the bucket has a recording. It may have been removed although its call still names it. */
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
