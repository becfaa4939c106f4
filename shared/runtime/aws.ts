/**
 * Bounds of every AWS client. Without throwOnRequestTimeout the SDK logs a warning and waits without limit.
 * @param requestTimeout of one attempt, in milliseconds.
 */
export const bounded = ({ requestTimeout = 3_000, maxAttempts = 3 } = {}) => ({
  maxAttempts,
  requestHandler: { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true },
});

/** Bounds for routes: two round trips and the attempts of a transaction fit into a route's time-out. */
export const quick = bounded({ requestTimeout: 1_500, maxAttempts: 2 });

/** Bounds for S3, whose requests may carry a recording. Streams are sent without a trailing checksum. */
export const objectStore = () => ({
  ...bounded({ requestTimeout: 30_000 }),
  requestChecksumCalculation: 'WHEN_REQUIRED' as const,
});

/** Returns the address of S3 in a local cloud, as the SDK's clients read it; undefined in AWS. */
export const localS3Url = (): string | undefined => process.env.AWS_ENDPOINT_URL_S3 || process.env.AWS_ENDPOINT_URL;

/**
 * Bounds for the language model's HTTP/2 client. The analyst limits all attempts together. Each request has its own
 * session (the SDK's default), because a session does not survive a frozen execution environment.
 */
export const languageModel = {
  maxAttempts: 3,
  requestHandler: { disableConcurrentStreams: true, requestTimeout: 24_000 },
};
