import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from '../text/crc32.ts';
import type { Permission } from './permission.ts';

export const API_KEY_PREFIX = 'svc_live_';

const RANDOM_BYTES = 32;
const RANDOM_CHARACTERS = 43; // of base64url
const CHECKSUM_CHARACTERS = 8; // CRC-32 in hex
/** Anyone can make a key with a checksum. DynamoDB refuses a much longer id, which would be answered with 500. */
const MAX_CHARACTERS_OF_AN_ORG = 64;
const SHAPE = new RegExp(
  `^${API_KEY_PREFIX}(?<orgId>[a-z0-9]{1,${MAX_CHARACTERS_OF_AN_ORG}})_(?<random>[A-Za-z0-9_-]{${RANDOM_CHARACTERS}})(?<checksum>[0-9a-f]{${CHECKSUM_CHARACTERS}})$`,
);

/**
 * Makes the value of an API key: `svc_live_<org>_<random><checksum>`. The organization's id lets a request read key,
 * organization and call in one round trip. The checksum reveals typing errors and scanners without a read.
 * @param orgId lower-case letters and digits only. @param random 32 bytes
 */
export function newApiKey(orgId: string, random = randomBytes(RANDOM_BYTES)): string {
  const body = `${API_KEY_PREFIX}${orgId}_${random.toString('base64url')}`;
  return body + checksum(body);
}

/**
 * Derives the value of a person's API key from the random seed of the request, so that a repeated request has the same
 * value, although only the value's hash is stored.
 */
export const apiKeyOfSeed = (orgId: string, by: string, seed: string): string =>
  newApiKey(orgId, createHash('sha256').update(['api-key', orgId, by, seed].join('\n')).digest());

export type PresentedKey = { orgId: string; hash: string };

/** Reads the value of an API key. @returns undefined if its shape or its checksum is wrong. */
export function readApiKey(value: string): PresentedKey | undefined {
  const orgId = SHAPE.exec(value)?.groups?.orgId;
  if (!orgId) return undefined;
  const body = value.slice(0, -CHECKSUM_CHARACTERS);
  return checksum(body) === value.slice(-CHECKSUM_CHARACTERS) ? { orgId, hash: hashApiKey(value) } : undefined;
}

/** Hashes a key value for storage. 256 random bits need no slow password hash. */
export const hashApiKey = (value: string): string => createHash('sha256').update(value).digest('hex');

const checksum = (text: string): string => crc32(text).toString(16).padStart(CHECKSUM_CHARACTERS, '0');

export type AuthorizationHeader =
  | { kind: 'key'; key: PresentedKey }
  | { kind: 'refused'; error: 'missing_api_key' | 'invalid_api_key_format' | 'invalid_api_key' };

/**
 * Reads `Authorization: Bearer <key>` (docs/rest-api.md, "Authentication").
 * @param header another scheme or an empty value counts as absent.
 */
export function readAuthorization(header: string | undefined): AuthorizationHeader {
  const scheme = /^bearer\s/i.exec(header ?? '');
  const value = scheme ? (header ?? '').slice(scheme[0].length).trim() : '';
  if (!value) return { kind: 'refused', error: 'missing_api_key' };
  if (!value.startsWith(API_KEY_PREFIX)) return { kind: 'refused', error: 'invalid_api_key_format' };
  const key = readApiKey(value);
  return key ? { kind: 'key', key } : { kind: 'refused', error: 'invalid_api_key' };
}

/**
 * Returns whether the granted permissions cover the required one. Permission to write calls includes permission to read
 * them.
 */
export const allows = (granted: readonly string[], needed: Permission): boolean =>
  granted.includes(needed) || (needed === 'calls:read' && granted.includes('calls:write'));
