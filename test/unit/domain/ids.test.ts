import fc from 'fast-check';
import {
  callIdFor,
  callIdForLead,
  connectionIdFor,
  mayBeId,
  newAssistantId,
  newEventId,
  newKeyId,
  newOrgId,
  newToken,
} from '../../../shared/domain/ids.ts';
import { anyText } from '../../support/values/any-text.ts';
import { forAll } from '../../support/values/for-all.ts';

const orgIds = fc.stringMatching(/^[a-z0-9]{1,30}$/);
const keys = anyText({ minLength: 1, maxLength: 255 });

describe('the id of a call', () => {
  it('is the same for the same org and idempotency key, and differs between orgs and between keys', () => {
    forAll([orgIds, orgIds, keys, keys], (orgA, orgB, keyA, keyB) => {
      fc.pre(orgA !== orgB && keyA !== keyB);
      const ids = [callIdFor(orgA, keyA), callIdFor(orgB, keyA), callIdFor(orgA, keyB), callIdFor(orgB, keyB)];
      expect(new Set(ids).size).toBe(4);
      expect(callIdFor(orgA, keyA)).toBe(ids[0]);
    });
  });

  it('is always new without a key', () => {
    expect(callIdFor('org1', undefined)).not.toBe(callIdFor('org1', undefined));
  });

  it('separates org and key unambiguously', () => {
    expect(callIdFor('org1', '2key')).not.toBe(callIdFor('org12', 'key'));
  });

  it('fits into the platform’s 40 characters and does not reveal the key', () => {
    forAll([orgIds, fc.option(keys, { nil: undefined })], (org, key) => {
      expect(callIdFor(org, key)).toMatch(/^call_[0-9a-f]{32}$/);
    });
  });
});

describe("the id of a lead's call", () => {
  const connections = fc.constantFrom(connectionIdFor('org1', 'crm-a'), connectionIdFor('org2', 'crm-a'));
  const events = fc.oneof(
    fc.date({ min: new Date(0), noInvalidDate: true }).map((at) => newEventId(at)),
    fc.string({ minLength: 1, maxLength: 40 }),
  );

  it('is derived from connection and event, so that each event has one call', () => {
    forAll([connections, connections, events, events], (connectionA, connectionB, eventA, eventB) => {
      expect(callIdForLead(connectionA, eventA)).toBe(callIdForLead(connectionA, eventA));
      const isSame = connectionA === connectionB && eventA === eventB;
      expect(callIdForLead(connectionA, eventA) === callIdForLead(connectionB, eventB)).toBe(isSame);
    });
  });

  it('has the format of all call ids, and never equals the id of a call placed by REST', () => {
    forAll([connections, events, fc.stringMatching(/^org[0-9a-f]{16}$/), keys], (connection, event, org, key) => {
      const id = callIdForLead(connection, event);
      expect(id).toMatch(/^call_[0-9a-f]{32}$/);
      const byRest = [callIdFor(org, key), callIdFor(org, `${connection}\n${event}`), callIdFor(connection, event)];
      expect(byRest).not.toContain(id);
    });
  });
});

describe('the id of a connection', () => {
  it('is derived from org and type, so that an org has one connection of each type', () => {
    forAll([orgIds, orgIds, fc.constantFrom('crm-a', 'crm-b'), fc.constantFrom('crm-a', 'crm-b')], (a, b, x, y) => {
      expect(connectionIdFor(a, x)).toMatch(/^conn_[0-9a-f]{24}$/);
      expect(connectionIdFor(a, x) === connectionIdFor(b, y)).toBe(a === b && x === y);
    });
  });
});

describe('the id of a lead event', () => {
  const instants = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });

  it('sorts by the time of the event', () => {
    forAll([instants, fc.oneof(instants, fc.constant(undefined))], (a, other) => {
      const b = other ?? new Date(a.getTime() + 1);
      fc.pre(a.getTime() !== b.getTime());
      expect(newEventId(a) < newEventId(b)).toBe(a < b);
    });
  });
});

describe('new ids', () => {
  it.each([
    ['an org', newOrgId, /^org[0-9a-f]{16}$/],
    ['an assistant', newAssistantId, /^asst_[0-9a-f]{24}$/],
    ['a key', newKeyId, /^key_[0-9a-f]{24}$/],
    ['a token', newToken, /^[0-9a-f]{32}$/],
    ['a lead event of one millisecond', () => newEventId(new Date('2026-03-02T06:00:00.000Z')), /^evt_[0-9a-f]{28}$/],
  ])('of %s are always different, and have the format of their kind', (_kind, make, shape) => {
    const ids = Array.from({ length: 500 }, make);
    expect(new Set(ids).size).toBe(500);
    for (const id of ids) expect(id).toMatch(shape);
  });

  it('all pass the format check that unknown text must pass before a lookup', () => {
    const made = [newOrgId(), newAssistantId(), newKeyId(), newEventId(new Date())];
    const derived = [callIdFor('org1', undefined), connectionIdFor('org1', 'crm-a'), callIdForLead('conn_1', 'evt_1')];
    for (const id of [...made, ...derived]) expect(mayBeId(id)).toBe(true);
    for (const text of ['', 'x'.repeat(65), 'x'.repeat(100_000), 'asst_\ud800']) expect(mayBeId(text)).toBe(false);
  });
});
