import { addCredit } from '../../../../shared/operations/organizations/add-credit.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';

async function aLedger() {
  const world = aWorld({ organizations: [anOrg({ available: 1_000 })] });
  const add = (amount: number, more: { reference?: string; org_id?: string } = {}) =>
    addCredit(world.common, { kind: 'operator', name: 'ravi' }, { org_id: ORG, amount, ...more });
  const available = () => world.all('organizations').map((org) => org.available);
  const entries = () => world.stores.ledger.list(ORG, 10);
  return { world, add, available, entries };
}

describe('credit that is added with a reference', () => {
  it('is added once, however often the command is repeated', async () => {
    const { add, available, entries } = await aLedger();
    expect(await add(500, { reference: 'invoice 7' })).toEqual({ kind: 'added' });
    expect(await add(500, { reference: 'invoice 7' })).toEqual({ kind: 'repeated', amount: 500 });
    expect(await add(900, { reference: 'invoice 7' })).toEqual({ kind: 'repeated', amount: 500 });
    expect(available()).toEqual([1_500]);
    expect(await entries()).toMatchObject([{ kind: 'top_up', amount: 500 }]);
  });

  it('is added once for two commands at once', async () => {
    const { add, available } = await aLedger();
    const results = await Promise.all([add(500, { reference: 'invoice 7' }), add(500, { reference: 'invoice 7' })]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['added', 'repeated']);
    expect(available()).toEqual([1_500]);
  });

  it('does not use up the reference if it was refused', async () => {
    const { add } = await aLedger();
    expect(await add(-1_001, { reference: 'refund' })).toEqual({ kind: 'insufficient_credits', available: 1_000 });
    expect(await add(-1_000, { reference: 'refund' })).toEqual({ kind: 'added' });
  });

  it('is added again under another reference, without one, and for another organization', async () => {
    const { world, add, available } = await aLedger();
    world.put('organizations', anOrg({ org_id: 'o2', available: 0 }));
    await add(1, { reference: 'a' });
    await add(2, { reference: 'b' });
    await add(4);
    await add(4);
    await add(8, { reference: 'a', org_id: 'o2' });
    expect(available()).toEqual([1_011, 8]);
  });
});

describe('credit for an unknown organization', () => {
  it('is not added', async () => {
    const { add } = await aLedger();
    expect(await add(1, { org_id: 'nobody' })).toEqual({ kind: 'org_not_found' });
  });
});
