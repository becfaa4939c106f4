import fc from 'fast-check';
import {
  alreadyCalledReasons,
  dayClaimKeys,
  dayClaimMoves,
  hiddenClaimFor,
  leadClaimKey,
  phoneClaimKey,
} from '../../../../../shared/domain/calls/dialing/day-claims.ts';
import { connectionIdFor } from '../../../../../shared/domain/ids.ts';
import { forAll } from '../../../../support/values/for-all.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';

const connectionIds = fc.constantFrom('org1', 'org2', 'org3').map((org) => connectionIdFor(org, 'crm-a'));
const orgIds = fc.stringMatching(/^org[0-9a-f]{4}$/);
const days = fc.constantFrom('2026-03-01', '2026-03-02', '2027-03-02');
const phones = fc.stringMatching(/^\+91[6-9][0-9]{9}$/);
/** Includes ids that resemble the rest of a key, because senders choose them. */
const leadIds = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc
    .array(fc.constantFrom('#', 'lead', 'phone', 'a', '2026-03-01', '2026-03-02', '+919876543210'), { minLength: 1 })
    .map((parts) => parts.join('')),
);

const lead = aCalledLead();
const PHONE = '+919876543210';

describe('the key of a claim', () => {
  /** @returns two tuples that agree in random parts */
  const alike = <T extends string[]>(parts: { [Index in keyof T]: fc.Arbitrary<T[Index]> }) => {
    const whole = fc.tuple(...parts) as unknown as fc.Arbitrary<T>;
    return fc
      .tuple(whole, whole, fc.array(fc.boolean(), { minLength: parts.length, maxLength: parts.length }))
      .map(([one, other, keeps]) => [one, other.map((part, at) => (keeps[at] ? one[at] : part)) as T] as const);
  };

  it.each([
    ['connection, lead and day, whatever the id contains', leadClaimKey, connectionIds, leadIds],
    ['org, phone and day', phoneClaimKey, orgIds, phones],
  ])('differs for every %s', (_parts, keyOf, owners, names) => {
    forAll([alike<[string, string, string]>([owners, names, days])], { numRuns: 1000 }, ([one, other]) => {
      const isSame = one.every((part, index) => part === other[index]);
      expect(keyOf(...one) === keyOf(...other)).toBe(isSame);
    });
  });

  it('of a lead never equals the key of a phone, even if all parts are the same', () => {
    forAll([fc.oneof(connectionIds, orgIds), fc.oneof(leadIds, phones), days], (owner, name, day) => {
      expect(leadClaimKey(owner, name, day)).not.toBe(phoneClaimKey(owner, name, day));
    });
  });

  it('fits into the 2,048 bytes of a DynamoDB key for the longest accepted id', () => {
    const longest = leadClaimKey(connectionIdFor('org1', 'crm-a'), '\u{20ac}'.repeat(200), '2026-03-02');
    expect(Buffer.byteLength(longest)).toBeLessThanOrEqual(2048);
  });

  it("of a call's lead and phone equals the key that its event claimed", () => {
    expect(dayClaimKeys(aCall({ org_id: 'org1', phone_number: PHONE }), lead, '2026-03-02')).toEqual({
      lead: leadClaimKey('conn_1', 'lead-1', '2026-03-02'),
      phone: phoneClaimKey('org1', PHONE, '2026-03-02'),
    });
  });
});

describe('the day claims of a call', () => {
  const now = new Date('2026-03-02T19:00:00.000Z');
  const call = aCall({ org_id: 'org1', phone_number: PHONE, lead, claims_day: '2026-03-02' });

  it('do not change if day and phone stay the same', () => {
    expect(dayClaimMoves(call, { day: '2026-03-02', phone: PHONE }, now)).toEqual({});
  });

  it('both move to another day, with the same owner', () => {
    const moves = dayClaimMoves(call, { day: '2026-03-03', phone: PHONE }, now);
    expect(moves).toEqual({
      day: '2026-03-03',
      lead: {
        take: expect.objectContaining({ claim: leadClaimKey('conn_1', 'lead-1', '2026-03-03'), owner_id: 'evt_1' }),
        free: leadClaimKey('conn_1', 'lead-1', '2026-03-02'),
      },
      phone: {
        take: expect.objectContaining({ claim: phoneClaimKey('org1', PHONE, '2026-03-03'), call_id: call.call_id }),
        free: phoneClaimKey('org1', PHONE, '2026-03-02'),
      },
    });
  });

  it('move only the phone claim if only the phone has changed', () => {
    expect(dayClaimMoves(call, { day: '2026-03-02', phone: '+919876543211' }, now)).toEqual({
      phone: {
        take: expect.objectContaining({ claim: phoneClaimKey('org1', '+919876543211', '2026-03-02') }),
        free: phoneClaimKey('org1', PHONE, '2026-03-02'),
      },
    });
  });

  it.each([
    ['placed by REST', aCall({ phone_number: PHONE })],
    ['without a day', aCall({ phone_number: PHONE, lead })],
  ])('are never added to a call %s', (_kind, without) => {
    expect(dayClaimMoves(without, { day: '2026-03-03', phone: '+919876543211' }, now)).toEqual({});
  });

  it('are explained in Activity if a call cannot move them', () => {
    expect(alreadyCalledReasons).toEqual({
      already_called: 'The call waited beyond midnight IST, and this lead has already been called on the new day.',
      phone_already_called:
        'The call waited beyond midnight IST or changed to another phone, and that number has already been called.',
    });
  });

  it('are exchanged one for one: every claimed key is needed, every freed one was held', () => {
    const held = dayClaimKeys(call, lead, '2026-03-02');
    forAll([days, phones], (day, phone) => {
      const wanted = dayClaimKeys({ ...call, phone_number: phone }, lead, day);
      const moves = dayClaimMoves(call, { day, phone }, now);
      for (const subject of ['lead', 'phone'] as const) {
        const move = moves[subject];
        expect(move === undefined).toBe(held[subject] === wanted[subject]);
        if (move) expect([move.free, move.take.claim]).toEqual([held[subject], wanted[subject]]);
      }
    });
  });
});

describe('the claim with which an erasure replaces a claim of a day', () => {
  const owner = { ownerId: 'evt_1', callId: 'call_1', now: new Date('2026-03-02T06:00:00.000Z') };

  it('ends the given number of days after its IST day, because a queued message may need it', () => {
    const { expires_at } = hiddenClaimFor('lead#conn_1#erased#x#2026-03-02', '2026-03-02', owner, 17);
    expect(expires_at).toBe(Date.parse('2026-03-19T18:30:00.000Z') / 1000);
  });

  it('has the same owner, and ends with its IST day by default', () => {
    expect(hiddenClaimFor('phone#org1#erased#x#2026-03-02', '2026-03-02', owner)).toEqual({
      claim: 'phone#org1#erased#x#2026-03-02',
      owner_id: 'evt_1',
      call_id: 'call_1',
      at: '2026-03-02T06:00:00.000Z',
      expires_at: Date.parse('2026-03-02T18:30:00.000Z') / 1000,
    });
  });
});
