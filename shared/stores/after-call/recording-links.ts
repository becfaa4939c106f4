import { HeadObjectCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { partition } from '@aws-sdk/core/client';
import { formatUrl } from '@aws-sdk/core/util';
import { escapeUriPath } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';

/** Long enough for a browser to begin the download. The expiry does not interrupt a running download. */
const LINK_SECONDS = 5 * 60;

/** The members of every SDK client's `config` that the signer needs. */
type Signing = Pick<ConstructorParameters<typeof SignatureV4>[0], 'credentials' | 'sha256'> & {
  region: () => Promise<string>;
};

/**
 * Signs links to recordings without the SDK's S3 client, which would take a fifth of a cold start.
 * @param signing the `config` of any client. @param localS3Url the address of a local cloud; absent in AWS.
 */
export const recordingLinks = (signing: Signing, bucket: string, localS3Url?: string) => {
  const signer = new SignatureV4({ ...signing, service: 's3', uriEscapePath: false });
  /**
   * @param fileName the name of the downloaded file; absent to play the recording in the browser.
   * @returns a link that opens the recording for five minutes, without credentials.
   */
  return async (key: string, fileName?: string): Promise<string> => {
    const { protocol, hostname, port, path } = addressOf(await signing.region(), bucket, localS3Url);
    const presigned = await signer.presign(
      {
        method: 'GET',
        protocol,
        hostname,
        ...(port && { port: Number(port) }),
        path: `${path}/${escapeUriPath(key)}`,
        query: {
          'x-id': 'GetObject',
          ...(fileName && { 'response-content-disposition': `attachment; filename="${fileName}"` }),
        },
        headers: { host: port ? `${hostname}:${port}` : hostname, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' },
      },
      { expiresIn: LINK_SECONDS },
    );
    return formatUrl(presigned);
  };
};

type Address = { protocol: string; hostname: string; port?: string; path: string };

function addressOf(region: string, bucket: string, localS3Url: string | undefined): Address {
  if (localS3Url) {
    const { protocol, hostname, port } = new URL(localS3Url);
    return { protocol, hostname, port, path: `/${bucket}` };
  }
  return { protocol: 'https:', hostname: `${bucket}.s3.${region}.${partition(region).dnsSuffix}`, path: '' };
}

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
