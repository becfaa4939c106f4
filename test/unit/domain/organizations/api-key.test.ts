import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { newOrgId } from '../../../../shared/domain/ids.ts';
import {
  API_KEY_PREFIX,
  allows,
  hashApiKey,
  newApiKey,
  readApiKey,
  readAuthorization,
} from '../../../../shared/domain/organizations/api-key.ts';
import { defaultPermissions } from '../../../../shared/domain/organizations/permission.ts';
import { forAll } from '../../../support/values/for-all.ts';

const orgIds = fc.stringMatching(/^[a-z0-9]{1,30}$/);

describe('an API key', () => {
  it('is parsed into its org and the SHA-256 of its whole value', () => {
    forAll([orgIds], (orgId) => {
      const key = newApiKey(orgId);
      expect(key.startsWith(`${API_KEY_PREFIX}${orgId}_`)).toBe(true);
      expect(readApiKey(key)).toEqual({ orgId, hash: createHash('sha256').update(key).digest('hex') });
      expect(hashApiKey(key)).toBe(readApiKey(key)?.hash);
    });
  });

  it('is always different and contains 256 random bits', () => {
    const keys = new Set(Array.from({ length: 200 }, () => newApiKey('org1')));
    expect(keys.size).toBe(200);
    for (const key of keys) expect(key).toMatch(/^svc_live_org1_[\w-]{43}[0-9a-f]{8}$/);
  });

  it('is refused without a lookup if any single character is changed', () => {
    const characters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- .'];
    const key = newApiKey(newOrgId());
    const everyChange = [...key].flatMap((_, position) =>
      characters.map((character) => key.slice(0, position) + character + key.slice(position + 1)),
    );
    expect(everyChange.filter((changed) => changed !== key && readApiKey(changed) !== undefined)).toEqual([]);
  });

  it('is refused without a lookup if it is truncated, lengthened or doubled', () => {
    const key = newApiKey('org1');
    for (let length = 0; length < key.length; length += 1) expect(readApiKey(key.slice(0, length))).toBeUndefined();
    for (const more of ['0', 'a', ' ', '\n', key]) expect(readApiKey(key + more)).toBeUndefined();
  });

  it('is refused without a lookup if its organization is longer than any, which DynamoDB would refuse as a key', () => {
    expect(readApiKey(newApiKey('a'.repeat(64)))).toBeDefined();
    expect(readApiKey(newApiKey('a'.repeat(65)))).toBeUndefined();
    expect(readApiKey(newApiKey('a'.repeat(3_000)))).toBeUndefined();
  });

  it('is refused without a lookup if random text follows the prefix', () => {
    forAll([fc.string({ maxLength: 100 })], (text) => {
      expect(readApiKey(API_KEY_PREFIX + text)).toBeUndefined();
      expect(readApiKey(text)).toBeUndefined();
    });
  });
});

describe('the Authorization header', () => {
  const key = newApiKey('org1');

  it.each([
    ['missing_api_key', 'absent', undefined],
    ['missing_api_key', 'empty', ''],
    ['missing_api_key', 'the scheme alone', 'Bearer'],
    ['missing_api_key', 'an empty value', 'Bearer    '],
    ['missing_api_key', 'another scheme', `Basic ${key}`],
    ['missing_api_key', 'no scheme', key],
    ['missing_api_key', 'a longer scheme', `BearerToken ${key}`],
    ['invalid_api_key_format', 'another prefix', 'Bearer sk_live_1'],
    ['invalid_api_key_format', 'a webhook token', 'Bearer wZ1'],
    ['invalid_api_key_format', 'the prefix in capitals', `Bearer ${key.toUpperCase()}`],
    ['invalid_api_key_format', 'the prefix later on', `Bearer x${key}`],
    ['invalid_api_key_format', 'the prefix unfinished', 'Bearer svc_live'],
    ['invalid_api_key', 'the prefix alone', 'Bearer svc_live_'],
    ['invalid_api_key', 'a wrong shape', 'Bearer svc_live_org1_short'],
    ['invalid_api_key', 'a wrong checksum', `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['invalid_api_key', 'two keys', `Bearer ${key} ${key}`],
  ])('is refused as %s, without a lookup: %s', (error, _what, header) => {
    expect(readAuthorization(header)).toMatchObject({ kind: 'refused', error });
  });

  it('is accepted with any spelling of the scheme and with spaces around the key', () => {
    const spaces = fc.stringMatching(/^ {1,5}$/);
    forAll([fc.mixedCase(fc.constant('bearer')), spaces, spaces], (scheme, before, after) => {
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
