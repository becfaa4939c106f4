import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { ZodMiniType } from 'zod/mini';

const KEPT_MS = 5 * 60_000;
const FRESH_MS = 5_000;

/** No value has been set yet: an operator has to (README, "Give it its secrets"). */
export class SecretNotSet extends Error {
  override readonly name = 'SecretNotSet';
}

/**
 * Reads a secret that holds JSON, and keeps it for five minutes.
 * @returns a function whose argument `fresh` passes by what is kept; it throws SecretNotSet where there is no value, or
 * none of the shape.
 */
export function secretReader<T>(secrets: SecretsManagerClient, secretId: string, schema: ZodMiniType<T>) {
  let kept: { value: T; until: number } | undefined;
  return async (fresh = false): Promise<T> => {
    if (kept && !fresh && performance.now() < kept.until) return kept.value;
    const text = await readSecret(secrets, secretId);
    const parsed = schema.safeParse(parseJson(text ?? ''));
    // The text of a parse error could quote the value: only the name of the secret is told.
    if (!parsed.success) throw new SecretNotSet(`secret ${secretId} holds no value of the expected shape`);
    kept = { value: parsed.data, until: performance.now() + KEPT_MS };
    return kept.value;
  };
}

/**
 * Reads a generated key and the one that it replaced, if there is one: Secrets Manager keeps both.
 * @returns the current key first.
 */
export function keyReader(secrets: SecretsManagerClient, secretId: string) {
  let kept: { keys: [string, ...string[]]; readAt: number } | undefined;
  return async (fresh = false): Promise<[string, ...string[]]> => {
    // A stranger's guesses ask for fresh keys, too: they must not become a flood of reads.
    const longest = fresh ? FRESH_MS : KEPT_MS;
    if (kept && performance.now() - kept.readAt < longest) return kept.keys;
    const [current, previous] = await Promise.all([
      readSecret(secrets, secretId),
      readSecret(secrets, secretId, 'AWSPREVIOUS'),
    ]);
    if (!current) throw new SecretNotSet(`secret ${secretId} holds no key`);
    kept = { keys: previous ? [current, previous] : [current], readAt: performance.now() };
    return kept.keys;
  };
}

/** @returns the text of a secret; undefined where it has none yet. */
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns the new version's id; what stood there before stays readable as the previous one. */
export async function putSecret(
  secrets: SecretsManagerClient,
  SecretId: string,
  value: string,
): Promise<string | undefined> {
  return (await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: value }))).VersionId;
}
