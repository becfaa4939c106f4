import { createHmac } from 'node:crypto';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type Actor, auditEntrySchema } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { respellNumbers } from '../../../../shared/operations/calls/respell-numbers.ts';
import { addNumbers, readNumbers } from '../../../../shared/operations/organizations/do-not-call/add-numbers.ts';
import { findNumbers } from '../../../../shared/operations/organizations/do-not-call/find-numbers.ts';
import { removeNumber } from '../../../../shared/operations/organizations/do-not-call/remove-number.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, LIST_KEY, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const many = Array.from({ length: 250 }, (_, index) => `+9198765${String(index).padStart(5, '0')}`);
const [first = ''] = many;

function aHouse() {
  const world = aWorld();
  let tokens = 0;
  const deps = { ...world.common, newToken: () => String(++tokens) };
  return Object.assign(world, {
    add: (phones: readonly string[]) => addNumbers(deps, actor, { org_id: ORG, phones }),
    remove: (phone: string, org_id = ORG) => removeNumber(deps, actor, { org_id, phone, reason: 'A mistake.' }),
    audited: () => world.auditEntries().map((item) => auditEntrySchema.parse(item)),
    find: (typed: string, after?: string) => findNumbers(deps, ORG, { typed, limit: 60, ...(after && { after }) }),
    numbers: () => world.all('do-not-call').map(({ phone }) => phone),
  });
}

describe('numbers for the do-not-call list', () => {
  it('are added with one audit entry that counts them and contains no number', async () => {
    const house = aHouse();
    expect(await house.add(many)).toEqual({ added: 250, listed: [] });
    expect(house.numbers()).toEqual(many);
    const [entry, ...others] = house.audited();
    expect([others, entry]).toMatchObject([[], { action: 'do_not_call.added', actor, after: { count: 250 } }]);
    for (const phone of many) expect(JSON.stringify(entry)).not.toContain(phone);
  });

  it('are all stored after a repeat, wherever the first run died, and never without an audit entry', async () => {
    for await (const [house, cut] of worldThatDies(aHouse, ({ add }) => add(many), 4)) {
      expect([cut, house.audited().length]).toEqual([cut, house.numbers().length > 0 ? 1 : 0]);
      await house.add(many);
      expect([cut, house.numbers().length]).toEqual([cut, 250]);
      expect((await house.add(many)).added).toBe(0);
    }
  });

  it('that are already listed stay unchanged, with the call in which the person requested it', async () => {
    const house = aHouse();
    const asked = { org_id: ORG, phone: first, added_at: START, call_id: 'call_1' };
    house.put('do-not-call', asked);
    expect(await house.add(many.slice(0, 3))).toEqual({ added: 2, listed: [asked] });
    expect(house.all('do-not-call')[0]).toEqual(asked);
    expect(house.audited()[0]?.after).toMatchObject({ count: 2 });
  });

  it('that an analysis adds at the same moment are not overwritten', async () => {
    const house = aHouse();
    const asked = { org_id: ORG, phone: first, added_at: START, call_id: 'call_1' };
    house.beforeNextWrite(() => house.put('do-not-call', asked));
    expect(await house.add(many.slice(0, 3))).toEqual({ added: 2, listed: [asked] });
    expect(house.all('do-not-call')).toMatchObject([asked, { phone: many[1] }, { phone: many[2] }]);
    expect(house.audited()).toMatchObject([{ after: { count: 2 } }]);
  });

  it('that an older version stored block the canonical spelling once they are respelled', async () => {
    const house = aHouse();
    const deps = { ...house.common, newToken: () => '1', handOverSlots: async () => undefined };
    house.put('do-not-call', { org_id: ORG, phone: '+9109876500000', added_at: START, call_id: 'call_1' });
    expect(await house.stores.doNotCall.has(ORG, first)).toBe(false);
    await respellNumbers(deps, actor);
    expect(await house.stores.doNotCall.has(ORG, first)).toBe(true);
    expect(await house.add([first])).toMatchObject({ added: 0, listed: [{ call_id: 'call_1' }] });
  });

  it("are removed with an audit entry or not at all, from the organization's own list only", async () => {
    const begin = async () => {
      const house = aHouse();
      await house.add([first]);
      return house;
    };
    for await (const [house, cut] of worldThatDies(begin, ({ remove }) => remove(first), 1))
      expect([cut, house.audited().length]).toEqual([cut, house.numbers().length === 0 ? 2 : 1]);
    const house = await begin();
    expect(await house.remove(first, 'org2')).toEqual({ kind: 'number_not_listed' });
    expect(await house.remove(first)).toEqual({ kind: 'removed' });
    expect(await house.remove(first)).toEqual({ kind: 'number_not_listed' });
    expect(house.audited().map(({ action, after }) => [action, after?.reason])).toEqual([
      ['do_not_call.added', undefined],
      ['do_not_call.removed', 'A mistake.'],
    ]);
    expect(JSON.stringify(house.audited())).not.toContain(first);
  });

  it('are read as people type them, with the positions of invalid ones', () => {
    expect(readNumbers(['098765 43210', 'Meera', ' +91-98765-43210', '', '9876543211'], 'IN')).toEqual({
      phones: ['+919876543210', '+919876543211'],
      duplicates: 1,
      wrong: [1, 3],
      numbers: ['+919876543210', undefined, '+919876543210', undefined, '+919876543211'],
    });
  });

  it.each([
    ['+9198765', many],
    ['98765 00007', ['+919876500007']],
    ['09876500249', ['+919876500249']],
    ['98765000', many.slice(0, 100)],
    ['9198765', many],
    ['5', []],
  ])('are found by the beginning %s, with or without the country code', async (typed, expected) => {
    const house = aHouse();
    house.put('organizations', anOrg());
    await house.add(many);
    const found: string[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
      const page = await findNumbers(house.common, ORG, { typed, limit: 60, ...(after && { after }) });
      found.push(...page.items.map(({ phone }) => phone));
      after = page.last && String(page.last.phone);
    }
    expect(found).toEqual(expected);
  });
});

describe('the number of an erased person', () => {
  const ERASED = `erased#${createHmac('sha256', LIST_KEY).update(`do-not-call\n${ORG}\n${first}`).digest('base64url')}`;
  const anErased = { org_id: ORG, phone: ERASED, added_at: START, erased_at: START };

  function aHouseWithErased() {
    const house = aHouse();
    house.put('organizations', anOrg());
    house.put('do-not-call', anErased);
    return house;
  }

  it('is refused without being stored, only in its organization', async () => {
    const { stores, numbers } = aHouseWithErased();
    expect(numbers().join()).not.toContain(first);
    for (const has of [stores.doNotCall.has, stores.doNotCall.hasEither])
      expect([await has(ORG, first), await has(ORG, String(many[1])), await has('org2', first)]).toEqual([
        true,
        false,
        false,
      ]);
  });

  it('is listed as before when it is added or imported again', async () => {
    const house = aHouseWithErased();
    expect(await house.add(many.slice(0, 120))).toEqual({ added: 119, listed: [{ ...anErased, phone: first }] });
    expect(house.numbers()).not.toContain(first);
  });

  it('is found only by the complete number, and listed last without it', async () => {
    const house = aHouseWithErased();
    await house.add(many.slice(1, 3));
    for (const typed of [first, '98765 00000'])
      expect((await house.find(typed)).items).toEqual([{ ...anErased, phone: first }]);
    expect((await house.find('+9198765')).items.map(({ phone }) => phone)).toEqual(many.slice(1, 3));
    const shown: string[] = [];
    for (let after: string | undefined, isFirst = true; isFirst || after; isFirst = false) {
      const page = await findNumbers(house.common, ORG, { limit: 2, ...(after && { after }) });
      shown.push(...page.items.map(({ phone }) => phone));
      after = page.last && String(page.last.phone);
    }
    expect(shown).toEqual([...many.slice(1, 3), ERASED]);
  });

  it('is removed by the number, with an audit entry or not at all, in both forms', async () => {
    for await (const [house, cut] of worldThatDies(aHouseWithErased, ({ remove }) => remove(first), 1))
      expect([cut, house.audited().length]).toEqual([cut, house.numbers().length === 0 ? 1 : 0]);
    const house = aHouseWithErased();
    house.put('do-not-call', { org_id: ORG, phone: first, added_at: START });
    expect(await house.remove(first)).toEqual({ kind: 'removed' });
    expect(await house.remove(first)).toEqual({ kind: 'number_not_listed' });
    expect([house.numbers(), house.audited().length]).toEqual([[], 1]);
  });

  it('is read together with the number in clear text, and again if a transaction moves it in between', async () => {
    const house = aHouseWithErased();
    let conflicts = 2;
    house.hooks.before = (operation) => {
      if (operation !== 'TransactGet' || conflicts === 0) return;
      conflicts -= 1;
      const CancellationReasons = [{ Code: 'None' }, { Code: 'TransactionConflict' }];
      throw new TransactionCanceledException({ $metadata: {}, message: 'conflict', CancellationReasons });
    };
    expect(await house.stores.doNotCall.has(ORG, first)).toBe(true);
    expect(house.requests).toEqual(['TransactGet', 'TransactGet', 'TransactGet']);
    conflicts = 9;
    await expect(house.stores.doNotCall.has(ORG, first)).rejects.toThrow('met conflicting transactions');
  });
});
