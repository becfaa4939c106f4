import fc from 'fast-check';
import { isEnd, supersedes, webhookIdFor } from '../../../../../shared/domain/after-call/callbacks/callback.ts';
import { callStatuses, isTerminal, mayBecome } from '../../../../../shared/domain/calls/call-status.ts';
import { callIdFor } from '../../../../../shared/domain/ids.ts';
import { forAll } from '../../../../support/values/for-all.ts';

const types = callStatuses.map((status) => `call.${status}`);

describe('the id of a notification', () => {
  it('is the same only for the same event of the same call', () => {
    const ids = ['call_a', 'call_b'].flatMap((call) =>
      [...types, 'call.analyzed'].map((type) => webhookIdFor(call, type)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(webhookIdFor('call_a', 'call.completed')).toBe(webhookIdFor('call_a', 'call.completed'));
  });

  it('fits into the name of a schedule and contains no dot, because dots separate the signed parts', () => {
    for (const type of [...types, 'call.analyzed'])
      expect(`${webhookIdFor(callIdFor('org1', undefined), type)}-7`).toMatch(/^[0-9a-zA-Z_-]{1,64}$/);
  });
});

describe('a notification', () => {
  it('reports the end if and only if its status is an end', () => {
    for (const status of callStatuses) expect(isEnd(`call.${status}`)).toBe(isTerminal(status));
    for (const type of ['call.analyzed', 'call.finished', 'call.given_back', 'completed', ''])
      expect(isEnd(type)).toBe(false);
  });

  it('supersedes exactly the notifications of an earlier status', () => {
    forAll([fc.constantFrom(...callStatuses), fc.constantFrom(...callStatuses)], (later, pending) => {
      expect(supersedes(`call.${later}`, `call.${pending}`)).toBe(mayBecome(pending, later));
    });
  });

  it('of the analysis neither supersedes another notification nor is superseded', () => {
    for (const type of types) {
      expect(supersedes('call.analyzed', type)).toBe(false);
      expect(supersedes(type, 'call.analyzed')).toBe(false);
    }
  });
});
