import fc from 'fast-check';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { claimFor } from '../../../../../shared/domain/calls/dialing/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../../shared/domain/calls/dialing/day-claims.ts';
import { endedByService } from '../../../../../shared/domain/calls/ending.ts';
import { TransactionContention } from '../../../../../shared/domain/contention.ts';
import { withdrawCall } from '../../../../../shared/operations/calls/steps/withdraw-call.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';
import { anOrg, CREDIT, ORG } from '../../../support/worlds/items.ts';
import { aWorld } from '../../../support/worlds/world.ts';

const DAY = '2026-03-01';
const aLeadsCall = (over: Partial<Call> = {}) => aCall({ lead: aCalledLead(), claims_day: DAY, ...over });
const { phone_number: PHONE, held: HELD } = aCall();
const leadKey = leadClaimKey('conn_1', 'lead-1', DAY);
const phoneKey = phoneClaimKey(ORG, PHONE, DAY);
type Owners = Record<string, string>;

/** Stores a call with its hold and with claims of these owners. */
function aCallToEnd(call: Call, owners: Owners = {}) {
  const claims = Object.entries(owners).map(([key, eventId]) =>
    claimFor(key, { ownerId: eventId, callId: 'call_0', now: new Date(0) }),
  );
  const organizations = [anOrg({ available: CREDIT - HELD, held: HELD })];
  const slots = (call.slots ?? []).map((scope) => ({ scope, live: 1 }));
  const world = aWorld({ organizations, claims, slots });
  world.putCall(call);
  return Object.assign(world, {
    withdraw: (asRead = call, reason = 'expired') => withdrawCall(world.common, asRead, 'failed', reason),
    call: () => world.callOf(call.call_id),
    owners: (): Owners => Object.fromEntries(world.all('claims').map(({ claim, owner_id }) => [claim, owner_id])),
    credit: () => world.all('organizations').map(({ available, held }) => ({ available, held }))[0],
    transactions: () => world.requests.filter((request) => request === 'TransactWrite').length,
  });
}

const own = { [leadKey]: 'evt_1', [phoneKey]: 'evt_1' };
/** Similar claims of another day, lead, phone, connection or organization. */
const others = {
  [leadClaimKey('conn_1', 'lead-1', '2026-03-02')]: 'evt_1',
  [phoneClaimKey(ORG, PHONE, '2026-03-02')]: 'evt_1',
  [leadClaimKey('conn_1', 'lead-2', DAY)]: 'evt_1',
  [leadClaimKey('conn_2', 'lead-1', DAY)]: 'evt_1',
  [phoneClaimKey(ORG, '+919812345679', DAY)]: 'evt_1',
  [phoneClaimKey('org2', PHONE, DAY)]: 'evt_1',
};
const released = { available: CREDIT, held: 0 };

describe('withdrawing a call', () => {
  it('releases its credit and frees only its own two claims of the day, in one transaction', async () => {
    const world = aCallToEnd(aLeadsCall(), { ...own, ...others });
    expect(await world.withdraw()).toBe(true);
    expect(world.owners()).toEqual(others);
    expect(world.requests).toEqual(['TransactWrite', 'Update activity']);
    const end = endedByService('failed', 'expired', new Date(world.now));
    expect(world.call()).toMatchObject({ ...end, cost: 0, unfinished: 'ended' });
    expect(world.credit()).toEqual(released);
    expect(world.all('credit-ledger')).toMatchObject([{ kind: 'release', amount: 0, held: -HELD }]);
  });

  it.each<[string, boolean, string[]]>([
    ['expired', true, ['LeadGivenUp']],
    ['platform_unreachable', true, ['LeadGivenUp']],
    ['insufficient_credits', true, []],
    ['assistant_missing', false, []],
    ['do_not_call', false, []],
  ])('adds the end of a lead’s call to Activity, and counts a lead that is given up: %s', async (...row) => {
    const [reason, isRetried, counted] = row;
    const world = aCallToEnd(aLeadsCall(), own);
    expect(await world.withdraw(aLeadsCall(), reason)).toBe(true);
    const [entry] = world.all('activity');
    expect(entry).toMatchObject({ event_id: 'evt_1.dial', source: 'dial', outcome: reason });
    expect(entry?.retryable !== undefined).toBe(isRetried);
    expect(world.counted).toEqual(counted);
  });

  it('adds no entry for an end that a person chose, or for a call without a lead', async () => {
    for (const [call, reason] of [[aLeadsCall(), 'canceled_by_operator'] as const, [aCall(), 'expired'] as const]) {
      const world = aCallToEnd(call);
      expect(await world.withdraw(call, reason)).toBe(true);
      expect([world.all('activity'), world.counted]).toEqual([[], []]);
    }
  });

  it('frees the claims of the original event if the call belongs to a retry', async () => {
    const world = aCallToEnd(aLeadsCall({ request_id: 'evt_1.retry.3' }), own);
    expect(await world.withdraw()).toBe(true);
    expect(world.owners()).toEqual({});
  });

  it.each([
    ['placed by REST', aCall()],
    ['without a day of its claims', aCall({ lead: aCalledLead() })],
  ])('frees no claims of a call %s', async (_name, call) => {
    const world = aCallToEnd(call, { ...own, ...others });
    expect(await world.withdraw()).toBe(true);
    expect([world.owners(), world.transactions(), world.credit()]).toEqual([{ ...own, ...others }, 1, released]);
  });
});

describe('a claim that another event owns', () => {
  it.each<[string, Owners]>([
    ['the lead', { [leadKey]: 'evt_2' }],
    ['the phone', { [phoneKey]: 'evt_2' }],
    ['both', { [leadKey]: 'evt_2', [phoneKey]: 'evt_2' }],
    ['a retry of its own event', { [leadKey]: 'evt_1.retry.1', [phoneKey]: 'evt_1.retry.1' }],
  ])('is not freed, and does not prevent the end of the call: %s', async (_name, foreign) => {
    const world = aCallToEnd(aLeadsCall(), foreign);
    expect(await world.withdraw(aLeadsCall())).toBe(true);
    expect(world.owners()).toEqual(foreign);
    expect(world.call()).toMatchObject({ status: 'failed', ended_reason: 'expired', cost: 0 });
    expect([world.credit(), world.all('activity').length]).toEqual([released, 1]);
    expect([world.all('credit-ledger').length, world.transactions()]).toEqual([1, 2]);
  });

  it("does not prevent that the call's other claim is freed", async () => {
    const world = aCallToEnd(aLeadsCall(), { [leadKey]: 'evt_2', [phoneKey]: 'evt_1' });
    expect(await world.withdraw(aLeadsCall())).toBe(true);
    expect(world.owners()).toEqual({ [leadKey]: 'evt_2' });
  });

  it('does not change a call that another worker ended between the two tries', async () => {
    const world = aCallToEnd(aLeadsCall(), { [leadKey]: 'evt_2' });
    world.beforeNextWrite(() => world.beforeNextWrite(() => world.putCall(aLeadsCall({ status: 'canceled' }))));
    expect(await world.withdraw()).toBe(false);
    expect([world.transactions(), world.credit()?.held, world.all('credit-ledger')]).toEqual([2, HELD, []]);
  });
});

describe('a call that has changed since it was read', () => {
  it.each<[string, Partial<Call>, boolean]>([
    ['it ended', { status: 'completed' }, false],
    ['it was claimed for its dial', { status: 'dialing', dial_claimed_at: '2026-03-02T06:00:01.000Z' }, false],
    ['its Activity entry was written before', {}, true],
  ])('is unchanged, with its claims and its credit: %s', async (_name, change, hasEntry) => {
    for (const owners of [own, { [leadKey]: 'evt_2', [phoneKey]: 'evt_1' }]) {
      const world = aCallToEnd(aLeadsCall(change), owners);
      if (hasEntry) world.put('activity', { connection_id: 'conn_1', event_id: 'evt_1.dial' });
      const before = world.snapshot();
      expect(await world.withdraw(aLeadsCall())).toBe(false);
      expect(world.snapshot()).toEqual(before);
      expect(world.transactions()).toBe(1);
    }
  });

  it('throws if conflicts with other writers persist', async () => {
    const world = aCallToEnd(aLeadsCall(), own);
    const before = world.snapshot();
    world.beforeNextWrite(() => {
      throw new TransactionContention('8 tries met conflicting transactions');
    });
    await expect(world.withdraw()).rejects.toThrow(TransactionContention);
    expect(world.snapshot()).toEqual(before);
  });
});

it('an open call ends exactly once, gives back its slots and frees only the claims that it owns', async () => {
  const owner = fc.constantFrom(undefined, 'evt_1', 'evt_2');
  const statuses = fc.constantFrom<Call['status']>('queued', 'dialing', 'in_progress', 'completed', 'canceled');
  await fc.assert(
    fc.asyncProperty(owner, owner, statuses, async (ofLead, ofPhone, status) => {
      const owners = { ...(ofLead && { [leadKey]: ofLead }), ...(ofPhone && { [phoneKey]: ofPhone }) };
      const slots = status === 'queued' ? undefined : ['stage', `org#${ORG}`];
      const world = aCallToEnd(aLeadsCall({ status, slots }), owners);
      const isOpen = !['completed', 'canceled'].includes(status);
      expect(await world.withdraw()).toBe(isOpen);
      expect(await world.withdraw()).toBe(false);
      expect(world.credit()?.held).toBe(isOpen ? 0 : HELD);
      for (const { live } of world.all('slots')) expect(live).toBe(isOpen ? 0 : 1);
      expect(world.all('credit-ledger')).toHaveLength(isOpen ? 1 : 0);
      const foreign = Object.entries(owners).some(([, eventId]) => eventId === 'evt_2');
      for (const [key, eventId] of Object.entries(owners))
        if (eventId !== 'evt_1' || !isOpen) expect(world.owners()[key]).toBe(eventId);
      if (isOpen && !foreign) expect(world.owners()).toEqual({});
    }),
  );
});
