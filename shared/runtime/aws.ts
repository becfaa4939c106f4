/**
 * Bounds of every AWS client: without throwOnRequestTimeout the SDK only warns and waits for ever.
 * @param requestTimeout milliseconds for one try. @param maxAttempts tries.
 */
export const bounded = ({ requestTimeout = 3_000, maxAttempts = 3 } = {}) => ({
  maxAttempts,
  requestHandler: { connectionTimeout: 1_000, requestTimeout, throwOnRequestTimeout: true },
});

/** Bounds for what a client waits for: two round trips and the tries of a transaction fit into a route's time-out. */
export const quick = bounded({ requestTimeout: 1_500, maxAttempts: 2 });

/** Bounds for S3, where a request may carry a recording. Streams are sent as they are, without a checksum behind them. */
export const objectStore = () => ({
  ...bounded({ requestTimeout: 30_000 }),
  requestChecksumCalculation: 'WHEN_REQUIRED' as const,
});

/**
 * Bounds for the language model, whose client speaks HTTP/2: the analyst bounds all of its tries together. Each request has a
 * session of its own, as is the SDK's default: one that outlived a pause of the function would be found dead.
 */
export const languageModel = {
  maxAttempts: 3,
  requestHandler: { disableConcurrentStreams: true, requestTimeout: 24_000 },
};
