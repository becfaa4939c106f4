import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { ZodMiniType } from 'zod/mini';
import { parseJson } from '../domain/json.ts';

const CACHED_MS = 5 * 60_000;
const FRESH_MS = 5_000;

/** The secret has no valid value. An operator must set one (docs/deploy.md). */
export class SecretNotSet extends Error {
  override readonly name = 'SecretNotSet';
}

/**
 * Builds a reader of a JSON secret that caches the value for five minutes. `fresh` bypasses the cache. It throws
 * SecretNotSet if there is no value of the expected shape.
 */
export function secretReader<T>(secrets: SecretsManagerClient, secretId: string, schema: ZodMiniType<T>) {
  let cached: { value: T; until: number } | undefined;
  return async (fresh = false): Promise<T> => {
    if (cached && !fresh && performance.now() < cached.until) return cached.value;
    const text = await readSecret(secrets, secretId);
    const parsed = schema.safeParse(parseJson(text ?? ''));
    // A parse error could quote the value, so the message names only the secret.
    if (!parsed.success) throw new SecretNotSet(`secret ${secretId} has no value of the expected form`);
    cached = { value: parsed.data, until: performance.now() + CACHED_MS };
    return cached.value;
  };
}

/**
 * Builds a reader of a generated key and its predecessor, the current key first. It throws SecretNotSet without a key.
 */
export function keyReader(secrets: SecretsManagerClient, secretId: string) {
  let cached: { keys: [string, ...string[]]; readAt: number } | undefined;
  return async (fresh = false): Promise<[string, ...string[]]> => {
    // A forged signature also requests fresh keys, so their reads are limited.
    const maxAge = fresh ? FRESH_MS : CACHED_MS;
    if (cached && performance.now() - cached.readAt < maxAge) return cached.keys;
    const [current, previous] = await Promise.all([
      readSecret(secrets, secretId),
      readSecret(secrets, secretId, 'AWSPREVIOUS'),
    ]);
    if (!current) throw new SecretNotSet(`secret ${secretId} has no key`);
    cached = { keys: previous ? [current, previous] : [current], readAt: performance.now() };
    return cached.keys;
  };
}

/**
 * Builds a reader of a generated key that is never replaced. It reads the secret once, and again only after a failure;
 * it throws SecretNotSet without a key.
 */
export function permanentKey(secrets: SecretsManagerClient, secretId: string): () => Promise<string> {
  let reading: Promise<string> | undefined;
  const read = async () => {
    const key = await readSecret(secrets, secretId);
    if (!key) throw new SecretNotSet(`secret ${secretId} has no key`);
    return key;
  };
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}

/** Reads a secret without a cache. @returns undefined if it has no value yet. */
export async function readSecret(
  secrets: SecretsManagerClient,
  SecretId: string,
  VersionStage = 'AWSCURRENT',
): Promise<string | undefined> {
  try {
    return (await secrets.send(new GetSecretValueCommand({ SecretId, VersionStage }))).SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Stores a new version. The former one stays readable as AWSPREVIOUS. @returns the id of the version. */
export async function putSecret(
  secrets: SecretsManagerClient,
  SecretId: string,
  value: string,
): Promise<string | undefined> {
  return (await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: value }))).VersionId;
}
