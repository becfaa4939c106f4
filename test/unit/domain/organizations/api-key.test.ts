import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newOrgId } from '../../../../shared/domain/ids.ts';
import {
  API_KEY_PREFIX,
  allows,
  createApiKey,
  defaultPermissions,
  hashApiKey,
  readApiKey,
  readAuthorization,
} from '../../../../shared/domain/organizations/api-key.ts';
import { forAll } from '../../../support/for-all.ts';

const orgIds = fc.stringMatching(/^[a-z0-9]{1,30}$/);

describe('an API key', () => {
  it('is parsed into its org and the SHA-256 of its whole value', () => {
    forAll([orgIds], (orgId) => {
      const key = createApiKey(orgId);
      expect(key.startsWith(`${API_KEY_PREFIX}${orgId}_`)).toBe(true);
      expect(readApiKey(key)).toEqual({ orgId, hash: createHash('sha256').update(key).digest('hex') });
      expect(hashApiKey(key)).toBe(readApiKey(key)?.hash);
    });
  });

  it('is always different and contains 256 random bits', () => {
    const keys = new Set(Array.from({ length: 200 }, () => createApiKey('org1')));
    expect(keys.size).toBe(200);
    for (const key of keys) expect(key).toMatch(/^svc_live_org1_[\w-]{43}[0-9a-f]{8}$/);
  });

  it('is refused without a lookup if any single character is changed', () => {
    const characters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- .'];
    const key = createApiKey(newOrgId());
    for (let position = 0; position < key.length; position += 1) {
      for (const character of characters) {
        if (character === key[position]) continue;
        const changed = key.slice(0, position) + character + key.slice(position + 1);
        expect([changed, readApiKey(changed)]).toEqual([changed, undefined]);
      }
    }
  });

  it('is refused without a lookup if it is truncated, lengthened or doubled', () => {
    const key = createApiKey('org1');
    for (let length = 0; length < key.length; length += 1) expect(readApiKey(key.slice(0, length))).toBeUndefined();
    for (const more of ['0', 'a', ' ', '\n', key]) expect(readApiKey(key + more)).toBeUndefined();
  });

  it('is refused without a lookup if random text follows the prefix', () => {
    forAll([fc.string({ maxLength: 100 })], (text) => {
      expect(readApiKey(API_KEY_PREFIX + text)).toBeUndefined();
      expect(readApiKey(text)).toBeUndefined();
    });
  });
});

describe('the Authorization header', () => {
  const key = createApiKey('org1');
  const refusalOf = (header: string | undefined) => {
    const read = readAuthorization(header);
    return read.kind === 'refused' ? read.error : undefined;
  };

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['the scheme alone', 'Bearer'],
    ['an empty value', 'Bearer    '],
    ['another scheme', `Basic ${key}`],
    ['no scheme', key],
    ['a longer scheme', `BearerToken ${key}`],
  ])('is missing_api_key: %s', (_what, header) => {
    expect(refusalOf(header)).toBe('missing_api_key');
  });

  it.each([
    ['another prefix', 'Bearer sk_live_1'],
    ['a webhook token', 'Bearer wZ1'],
    ['the prefix in capitals', `Bearer ${key.toUpperCase()}`],
    ['the prefix later on', `Bearer x${key}`],
    ['the prefix unfinished', 'Bearer svc_live'],
  ])('is invalid_api_key_format: %s', (_what, header) => {
    expect(refusalOf(header)).toBe('invalid_api_key_format');
  });

  it.each([
    ['the prefix alone', 'Bearer svc_live_'],
    ['a wrong shape', 'Bearer svc_live_org1_short'],
    ['a wrong checksum', `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['two keys', `Bearer ${key} ${key}`],
  ])('is invalid_api_key, without a lookup: %s', (_what, header) => {
    expect(refusalOf(header)).toBe('invalid_api_key');
  });

  it('is accepted with any spelling of the scheme and with spaces around the key', () => {
    const spellings = fc.mixedCase(fc.constant('bearer'));
    const spaces = fc.stringMatching(/^ {1,5}$/);
    forAll([spellings, spaces, spaces], (scheme, before, after) => {
      expect(readAuthorization(`${scheme}${before}${key}${after}`)).toEqual({ kind: 'key', key: readApiKey(key) });
    });
  });

  it('is parsed in linear time', () => {
    const started = performance.now();
    for (const header of [`Bearer a${' '.repeat(300_000)}b`, `Bearer ${' '.repeat(300_000)}`, ' '.repeat(300_000)])
      readAuthorization(header);
    // A backtracking pattern takes minutes. The limit is generous, because the machine may be busy.
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('permissions', () => {
  it('default to writing calls and reading assistants', () => {
    expect(defaultPermissions).toEqual(['calls:write', 'assistants:read']);
  });

  it.each([
    [['calls:write'], 'calls:write', true],
    [['calls:write'], 'calls:read', true],
    [['calls:read'], 'calls:read', true],
    [['calls:read'], 'calls:write', false],
    [['assistants:read'], 'calls:read', false],
    [['calls:write'], 'assistants:read', false],
    [[], 'calls:read', false],
    [['calls:*', '*'], 'calls:read', false],
  ] as const)('%j cover %s: %s', (granted, needed, covered) => {
    expect(allows(granted, needed)).toBe(covered);
  });
});
