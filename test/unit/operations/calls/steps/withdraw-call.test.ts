import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Call } from '../../../../../shared/domain/calls/call.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../../shared/domain/calls/day-claims.ts';
import { endedByService } from '../../../../../shared/domain/calls/ending.ts';
import { TransactionContention } from '../../../../../shared/domain/contention.ts';
import { type WithdrawCallDeps, withdrawCall } from '../../../../../shared/operations/calls/steps/withdraw-call.ts';
import type { Transact, Write } from '../../../../../shared/stores/dynamodb/transaction.ts';
import { aCall, aClaimedCall } from '../../../support/call.ts';

const NOW = '2026-03-02T07:00:00.000Z';
const DAY = '2026-03-01';

const lead: NonNullable<Call['lead']> = {
  crm: 'crm-a',
  connection_id: 'conn_1',
  lead_id: 'lead-1',
  event_id: 'evt_1',
  event: 'new_lead',
  test: false,
  fields: {},
};
const aLeadsCall = (over: Partial<Call> = {}) => aCall({ lead, claims_day: DAY, ...over });
const { org_id: ORG, phone_number: PHONE, held: HELD } = aCall();
const leadKey = leadClaimKey('conn_1', 'lead-1', DAY);
const phoneKey = phoneClaimKey(ORG, PHONE, DAY);

/** A write of the fakes: whether it may be done, and how. */
type Fake = { allowed: () => boolean; apply: () => void };

/** Items of an ending, in memory. Each transaction is applied as a whole or not at all, as in the stores. */
function service({ kept, claims = {} }: { kept: Call; claims?: Record<string, string> }) {
  const state = {
    call: kept,
    held: HELD,
    cost: 0,
    ledger: [] as object[],
    slots: [] as string[],
    entries: [] as object[],
  };
  const owners = new Map(Object.entries(claims));
  /** The names of the writes of each transaction that was tried, and whether it was done. */
  const tried: { writes: string[]; committed: boolean }[] = [];
  const hooks: { before?: (number: number) => void } = {};
  const as = (fake: Fake) => fake as unknown as Write;
  const transact: Transact = async (writes) => {
    hooks.before?.(tried.length + 1);
    const named = Object.entries(writes).flatMap(([name, write]) =>
      write ? [[name, write as unknown as Fake]] : [],
    ) as [string, Fake][];
    const refused = named.filter(([, { allowed }]) => !allowed()).map(([name]) => name);
    tried.push({ writes: named.map(([name]) => name).sort(), committed: refused.length === 0 });
    if (refused.length > 0)
      return {
        committed: false,
        refused: Object.fromEntries(refused.map((name) => [name, { item: undefined }])) as never,
      };
    for (const [, { apply }] of named) apply();
    return { committed: true };
  };
  const deps: WithdrawCallDeps = {
    calls: {
      ending: (call, end) =>
        as({
          allowed: () =>
            ['queued', 'dialing'].includes(state.call.status) && state.call.dial_claimed_at === call.dial_claimed_at,
          apply: () => {
            const { status, ended_reason, ended_at, duration, cost } = end;
            state.call = { ...state.call, status, ended_reason, ended_at, duration, cost, unfinished: 'ended' };
          },
        }),
    },
    organizations: {
      settling: (_orgId, { held, cost }) =>
        as({
          allowed: () => true,
          apply: () => {
            state.held -= held;
            state.cost += cost;
          },
        }),
    },
    ledger: { adding: (entry) => as({ allowed: () => true, apply: () => void state.ledger.push(entry) }) },
    slots: { givingBack: (scope) => as({ allowed: () => true, apply: () => void state.slots.push(scope) }) },
    claims: {
      freeing: (key, eventId) =>
        as({
          allowed: () => !owners.has(key) || owners.get(key) === eventId,
          apply: () => void owners.delete(key),
        }),
    },
    transact,
    now: () => new Date(NOW),
    count: () => undefined,
  };
  const activity = (isNew: boolean) =>
    as({ allowed: () => isNew, apply: () => void state.entries.push({ outcome: 'already_called' }) });
  return { deps, state, owners, tried, hooks, activity, snapshot: () => structuredClone({ state, owners }) };
}

const own = { [leadKey]: 'evt_1', [phoneKey]: 'evt_1' };
/** Claims that look alike: of another day, lead, number, connection or org. */
const others = {
  [leadClaimKey('conn_1', 'lead-1', '2026-03-02')]: 'evt_1',
  [phoneClaimKey(ORG, PHONE, '2026-03-02')]: 'evt_1',
  [leadClaimKey('conn_1', 'lead-2', DAY)]: 'evt_1',
  [leadClaimKey('conn_2', 'lead-1', DAY)]: 'evt_1',
  [phoneClaimKey(ORG, '+919812345679', DAY)]: 'evt_1',
  [phoneClaimKey('org2', PHONE, DAY)]: 'evt_1',
};

describe('a call that rang no phone', () => {
  it('frees exactly its own two day claims, in the transaction that ends it', async () => {
    const { deps, state, owners, tried } = service({ kept: aLeadsCall(), claims: { ...own, ...others } });
    expect(await withdrawCall(deps, aLeadsCall(), 'failed', 'expired')).toBe(true);
    expect(Object.fromEntries(owners)).toEqual(others);
    expect(tried).toEqual([
      { writes: ['call', 'credit', 'free lead claim', 'free phone claim', 'ledger'], committed: true },
    ]);
    expect(state.call).toMatchObject({
      ...endedByService('failed', 'expired', new Date(NOW)),
      cost: 0,
      unfinished: 'ended',
    });
    expect(state).toMatchObject({ held: 0, cost: 0, slots: [] });
    expect(state.ledger).toMatchObject([{ kind: 'release', amount: 0, held: -HELD }]);
  });

  it('frees claims that are gone already: they are free', async () => {
    const { deps, owners, tried } = service({ kept: aLeadsCall(), claims: { [phoneKey]: 'evt_1' } });
    expect(await withdrawCall(deps, aLeadsCall(), 'canceled', 'do_not_call')).toBe(true);
    expect(owners.size).toBe(0);
    expect(tried).toHaveLength(1);
  });

  it("frees what the call's event owns, whatever became of it: a repeat's call has the original's claims", async () => {
    const repeated = aLeadsCall({ request_id: 'evt_1.retry.3' });
    const { deps, owners } = service({ kept: repeated, claims: own });
    expect(await withdrawCall(deps, repeated, 'failed', 'expired')).toBe(true);
    expect(owners.size).toBe(0);
  });

  it('gives back the slots of its dial claim', async () => {
    const claimed = aClaimedCall({ lead, claims_day: DAY });
    const { deps, state, owners } = service({ kept: claimed, claims: own });
    expect(await withdrawCall(deps, claimed, 'failed', 'platform_unreachable')).toBe(true);
    expect(state.slots).toEqual(['stage', `org#${ORG}`]);
    expect(owners.size).toBe(0);
  });

  it('writes its Activity entry in the same transaction', async () => {
    const { deps, state, tried, activity } = service({ kept: aLeadsCall(), claims: own });
    expect(await withdrawCall(deps, aLeadsCall(), 'canceled', 'already_called', { activity: activity(true) })).toBe(
      true,
    );
    expect(tried).toHaveLength(1);
    expect(state.entries).toHaveLength(1);
  });
});

describe('a claim that another event owns', () => {
  it.each([
    ['the lead', { [leadKey]: 'evt_2' }],
    ['the phone', { [phoneKey]: 'evt_2' }],
    ['both', { [leadKey]: 'evt_2', [phoneKey]: 'evt_2' }],
    ['a repeat of its own event', { [leadKey]: 'evt_1.retry.1', [phoneKey]: 'evt_1.retry.1' }],
  ])('does not keep the call open, and is not freed: %s', async (_name, foreign) => {
    const { deps, state, owners, tried, activity } = service({ kept: aLeadsCall(), claims: foreign });
    expect(await withdrawCall(deps, aLeadsCall(), 'failed', 'expired', { activity: activity(true) })).toBe(true);
    expect(Object.fromEntries(owners)).toEqual(foreign);
    expect(state.call).toMatchObject({ status: 'failed', ended_reason: 'expired', cost: 0 });
    expect(state).toMatchObject({ held: 0, entries: [{}] });
    expect(state.ledger).toHaveLength(1);
    expect(tried).toEqual([
      { writes: ['activity', 'call', 'credit', 'free lead claim', 'free phone claim', 'ledger'], committed: false },
      { writes: ['activity', 'call', 'credit', 'ledger'], committed: true },
    ]);
  });

  it('ends the call only once, where another worker ended it between the two tries', async () => {
    const { deps, state, hooks, tried } = service({ kept: aLeadsCall(), claims: { [leadKey]: 'evt_2' } });
    hooks.before = (number) => {
      if (number === 2) state.call = { ...state.call, status: 'canceled' };
    };
    expect(await withdrawCall(deps, aLeadsCall(), 'failed', 'expired')).toBe(false);
    expect(tried.map(({ committed }) => committed)).toEqual([false, false]);
    expect(state).toMatchObject({ held: HELD, ledger: [] });
  });
});

describe('a call without a lead', () => {
  it.each([
    ['placed by REST', aCall()],
    ['of which no day is known', aCall({ lead })],
  ])('frees nothing: %s', async (_name, call) => {
    const { deps, state, owners, tried } = service({ kept: call, claims: { ...own, ...others } });
    expect(await withdrawCall(deps, call, 'failed', 'expired')).toBe(true);
    expect(Object.fromEntries(owners)).toEqual({ ...own, ...others });
    expect(tried).toEqual([{ writes: ['call', 'credit', 'ledger'], committed: true }]);
    expect(state.held).toBe(0);
  });
});

describe('a call that has changed since it was read', () => {
  it.each<[string, Partial<Call>]>([
    ['it ended', { status: 'completed' }],
    ['it was claimed for its dial', { status: 'dialing', dial_claimed_at: NOW }],
  ])('is left as it is, with its claims and its credit: %s', async (_name, change) => {
    for (const claims of [own, { [leadKey]: 'evt_2', [phoneKey]: 'evt_1' }]) {
      const { deps, tried, activity, snapshot } = service({ kept: aLeadsCall(change), claims });
      const before = snapshot();
      expect(await withdrawCall(deps, aLeadsCall(), 'failed', 'expired', { activity: activity(true) })).toBe(false);
      expect(snapshot()).toEqual(before);
      // No second try: there is nothing left to end.
      expect(tried).toHaveLength(1);
    }
  });

  it('is left as it is where only its entry was written before', async () => {
    for (const claims of [own, { [leadKey]: 'evt_2' }]) {
      const { deps, tried, activity, snapshot } = service({ kept: aLeadsCall(), claims });
      const before = snapshot();
      expect(await withdrawCall(deps, aLeadsCall(), 'canceled', 'already_called', { activity: activity(false) })).toBe(
        false,
      );
      expect(snapshot()).toEqual(before);
      expect(tried).toHaveLength(1);
    }
  });

  it('is not taken for one that ended where others keep writing: that is told', async () => {
    const { deps, hooks, snapshot } = service({ kept: aLeadsCall(), claims: own });
    const before = snapshot();
    hooks.before = () => {
      throw new TransactionContention('8 tries met conflicting transactions');
    };
    await expect(withdrawCall(deps, aLeadsCall(), 'failed', 'expired')).rejects.toThrow(TransactionContention);
    expect(snapshot()).toEqual(before);
  });
});

describe('whoever owns what', () => {
  it('an open call ends exactly once, and no claim is freed that is not its own', async () => {
    const owner = fc.constantFrom(undefined, 'evt_1', 'evt_2');
    const statuses = fc.constantFrom<Call['status']>('queued', 'dialing', 'in_progress', 'completed', 'canceled');
    await fc.assert(
      fc.asyncProperty(owner, owner, statuses, async (ofLead, ofPhone, status) => {
        const claims = { ...(ofLead && { [leadKey]: ofLead }), ...(ofPhone && { [phoneKey]: ofPhone }) };
        const { deps, state, owners } = service({ kept: aLeadsCall({ status }), claims });
        const isOpen = status === 'queued' || status === 'dialing';
        expect(await withdrawCall(deps, aLeadsCall(), 'failed', 'expired')).toBe(isOpen);
        expect(await withdrawCall(deps, aLeadsCall(), 'failed', 'expired')).toBe(false);
        expect(state.held).toBe(isOpen ? 0 : HELD);
        expect(state.ledger).toHaveLength(isOpen ? 1 : 0);
        for (const [key, eventId] of Object.entries(claims))
          if (eventId !== 'evt_1' || !isOpen) expect(owners.get(key)).toBe(eventId);
        if (isOpen && ofLead !== 'evt_2' && ofPhone !== 'evt_2') expect(owners.size).toBe(0);
      }),
    );
  });
});
