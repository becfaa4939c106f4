import { Readable } from 'node:stream';

/** Returns whether a value is an instance of a web class, by its tag, which is the same in all realms. */
const isA = (name: string, value: unknown): boolean => Object.prototype.toString.call(value) === `[object ${name}]`;

/**
 * Replaces the SDK's check in the bundles (lib/lean-sdk.ts), because a reference to `ReadableStream` loads all classes
 * of web streams.
 */
export const isReadableStream = (value: unknown): boolean => isA('ReadableStream', value);
export const isBlob = (value: unknown): boolean => isA('Blob', value) || isA('File', value);

/** Returns whether the body of a request cannot be sent twice. */
export const isStreamingPayload = (request?: { body?: unknown }): boolean =>
  request?.body instanceof Readable || isReadableStream(request?.body);
