import { createHash } from 'node:crypto';
import fc from 'fast-check';
import {
  hashWebhookToken,
  isTokenOf,
  isWebhookToken,
  newWebhookToken,
} from '../../../../../shared/domain/connections/deliveries/webhook-token.ts';
import { anyText } from '../../../../support/values/any-text.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { comparedInConstantTime } from '../../../support/constant-time.ts';

describe("a connection's webhook token", () => {
  it('has 256 bits as 43 characters of base64url and is always different', () => {
    const tokens = Array.from({ length: 500 }, newWebhookToken);
    for (const token of tokens) {
      expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    }
    expect(new Set(tokens).size).toBe(500);
  });

  it('is stored as its SHA-256, which does not reveal it', () => {
    const token = newWebhookToken();
    const hash = hashWebhookToken(token);
    expect(hash).toBe(createHash('sha256').update(token, 'utf8').digest('hex'));
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain(token.slice(0, 8));
  });
});

describe('a presented token', () => {
  const token = newWebhookToken();
  const hash = hashWebhookToken(token);

  it.each([
    ['nothing', undefined],
    ['empty', ''],
    ['another token', newWebhookToken()],
    ['one character short', token.slice(0, -1)],
    ['one character long', `${token}A`],
    ['padded', `${token}=`],
    ['with a leading space', ` ${token}`],
    ['with a line end', `${token}\n`],
    ['in another case', token === token.toLowerCase() ? token.toUpperCase() : token.toLowerCase()],
    ['the hash itself', hash],
  ])('does not match: %s', (_what, presented) => {
    expect(isWebhookToken(presented, hash)).toBe(false);
  });

  it.each([
    ['the current one', token],
    ['the former one', 'former'],
    ['a pending one', 'pending-2'],
    ['none', newWebhookToken()],
  ])(
    'is compared in constant time with every token of the connection, although it matches %s',
    async (_, presented) => {
      const [former, ...pending] = ['former', 'pending-1', 'pending-2'].map(hashWebhookToken);
      const tokens = {
        token_hash: hash,
        former_token: { hash: former ?? '', until: '2026-03-03T06:00:00.000Z' },
        pending_token_hashes: pending,
      };
      const compared = await comparedInConstantTime(() =>
        isTokenOf(tokens, presented, new Date('2026-03-02T06:00:00Z')),
      );
      expect(compared).toEqual(Array(4).fill([64, 64]));
    },
  );

  it('never matches a connection without a token', () => {
    for (const presented of [token, undefined]) expect(isWebhookToken(presented, undefined)).toBe(false);
    expect(isWebhookToken('', '')).toBe(false);
  });

  it('matches no stored text except its hash', () => {
    for (const stored of ['', hash.slice(1), `${hash}0`, hash.toUpperCase(), token, 'ü'.repeat(32)])
      expect(isWebhookToken(token, stored)).toBe(false);
  });

  it('of any text matches only its own hash, and is compared without an error', () => {
    const texts = fc.oneof(anyText({ maxLength: 200 }), fc.stringMatching(/^[A-Za-z0-9_-]{43}$/));
    forAll([texts, texts], (presented, other) => {
      fc.pre(presented !== token);
      expect(isWebhookToken(presented, hash)).toBe(false);
      expect(isWebhookToken(token, other)).toBe(false);
      expect(isWebhookToken(presented, other)).toBe(false);
      expect(isWebhookToken(presented, hashWebhookToken(presented))).toBe(true);
    });
  });
});
