type Body = string | { byteLength?: number; size?: number } | undefined;

/**
 * Replaces the SDK's measurement of bodies, which also handles file streams, in the bundles (lib/lean-sdk.ts).
 * @returns the length in bytes
 * @throws Error for a stream, whose length the SDK then does not announce
 */
export function calculateBodyLength(body: Body): number {
  if (!body) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  const length = body.byteLength ?? body.size;
  if (typeof length !== 'number') throw new Error('the length of a stream is unknown');
  return length;
}
