import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callIdFor, mayBeId, newAssistantId, newKeyId, newOrgId } from '../../../shared/domain/ids.ts';

const orgIds = fc.stringMatching(/^[a-z0-9]{1,30}$/);
const keys = fc.string({ unit: 'binary', minLength: 1, maxLength: 255 });

describe('the id of a call', () => {
  it('is the same for the same org and idempotency key, however often it is asked for', () => {
    fc.assert(
      fc.property(orgIds, keys, (org, key) => {
        expect(callIdFor(org, key)).toBe(callIdFor(`${org}`, `${key}`));
      }),
    );
  });

  it('differs between orgs, between keys, and without a key every time', () => {
    fc.assert(
      fc.property(orgIds, orgIds, keys, keys, (orgA, orgB, keyA, keyB) => {
        fc.pre(orgA !== orgB && keyA !== keyB);
        const ids = [callIdFor(orgA, keyA), callIdFor(orgB, keyA), callIdFor(orgA, keyB), callIdFor(orgB, keyB)];
        expect(new Set(ids).size).toBe(4);
        expect(callIdFor(orgA, undefined)).not.toBe(callIdFor(orgA, undefined));
      }),
    );
  });

  it('does not depend on where the org ends and the key begins', () => {
    expect(callIdFor('org1', '2key')).not.toBe(callIdFor('org12', 'key'));
  });

  it('fits the 40 characters that the platform leaves for it, and says nothing of the key', () => {
    fc.assert(
      fc.property(orgIds, fc.option(keys, { nil: undefined }), (org, key) => {
        expect(callIdFor(org, key)).toMatch(/^call_[0-9a-f]{32}$/);
      }),
    );
  });
});

describe('new ids', () => {
  it('are never the same twice, and look like what they name', () => {
    for (const [make, shape] of [
      [newOrgId, /^org[0-9a-f]{16}$/],
      [newAssistantId, /^asst_[0-9a-f]{24}$/],
      [newKeyId, /^key_[0-9a-f]{24}$/],
    ] as const) {
      const ids = Array.from({ length: 500 }, make);
      expect(new Set(ids).size).toBe(500);
      for (const id of ids) expect(id).toMatch(shape);
    }
  });

  it("all pass the test that a stranger's text must pass before it is looked up", () => {
    for (const id of [newOrgId(), newAssistantId(), newKeyId(), callIdFor('org1', undefined)])
      expect(mayBeId(id)).toBe(true);
    for (const text of ['', 'x'.repeat(65), 'x'.repeat(100_000)]) expect(mayBeId(text)).toBe(false);
  });
});
