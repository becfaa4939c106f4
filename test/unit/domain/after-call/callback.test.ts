import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isEnd, supersedes, webhookIdFor } from '../../../../shared/domain/after-call/callback.ts';
import { callStatuses, isTerminal, mayBecome } from '../../../../shared/domain/calls/call-status.ts';
import { callIdFor } from '../../../../shared/domain/ids.ts';

const types = callStatuses.map((status) => `call.${status}`);

describe('the id of a notification', () => {
  it('is the same for the same event of the same call, and for nothing else', () => {
    const ids = ['call_a', 'call_b'].flatMap((call) =>
      [...types, 'call.analyzed'].map((type) => webhookIdFor(call, type)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(webhookIdFor('call_a', 'call.completed')).toBe(webhookIdFor('call_a', 'call.completed'));
  });

  it('has no dot, which would end it in what is signed, and fits the name of a schedule', () => {
    for (const type of [...types, 'call.analyzed'])
      expect(`${webhookIdFor(callIdFor('org1', undefined), type)}-7`).toMatch(/^[0-9a-zA-Z_-]{1,64}$/);
  });
});

describe('a notification', () => {
  it('tells the end exactly where its status is one', () => {
    for (const status of callStatuses) expect(isEnd(`call.${status}`)).toBe(isTerminal(status));
    for (const type of ['call.analyzed', 'call.finished', 'call.given_back', 'completed', ''])
      expect(isEnd(type)).toBe(false);
  });

  it('makes superfluous exactly those of a lower rank', () => {
    fc.assert(
      fc.property(fc.constantFrom(...callStatuses), fc.constantFrom(...callStatuses), (later, pending) => {
        expect(supersedes(`call.${later}`, `call.${pending}`)).toBe(mayBecome(pending, later));
      }),
    );
  });

  it('of the analysis supersedes nothing and is superseded by nothing', () => {
    for (const type of types) {
      expect(supersedes('call.analyzed', type)).toBe(false);
      expect(supersedes(type, 'call.analyzed')).toBe(false);
    }
  });
});
