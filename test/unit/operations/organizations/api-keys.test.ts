import { hashApiKey, readApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { type Actor, auditEntrySchema } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { createApiKey as creating } from '../../../../shared/operations/organizations/create-api-key.ts';
import { revokeApiKey } from '../../../../shared/operations/organizations/revoke-api-key.ts';
import { admitRequest } from '../../../../shared/operations/organizations/steps/admit-request.ts';
import { withLastUse } from '../../../../shared/operations/organizations/steps/with-last-use.ts';
import type { ApiKey } from '../../../../shared/stores/organizations/admission.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const backend = { org_id: ORG, name: 'backend', permissions: ['calls:read' as const] };
const SEED = 's'.repeat(43);

/** Creates a key that none of the tests creates twice. */
async function createApiKey(...given: Parameters<typeof creating>) {
  const created = await creating(...given);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created;
}

function aHouse() {
  const world = aWorld();
  let tokens = 0;
  const deps = { ...world.common, newToken: () => String(++tokens) };
  const audited = () => world.auditEntries().map((item) => auditEntrySchema.parse(item));
  return Object.assign(world, { deps, audited });
}

describe('an API key', () => {
  it('is created with its audit entry or not at all, and its value is not stored', async () => {
    for await (const [house, cut] of worldThatDies(aHouse, ({ deps }) => createApiKey(deps, actor, backend), 1)) {
      const keys = house.all('api-keys').length;
      expect([cut, house.audited().length, house.all('rate-limits').length]).toEqual([cut, keys, keys]);
    }
    const house = aHouse();
    const { key, value } = await createApiKey(house.deps, actor, backend);
    expect(house.audited()).toMatchObject([
      {
        action: 'key.created',
        actor,
        thing: { id: key.key_id, name: 'backend' },
        after: { permissions: ['calls:read'] },
      },
    ]);
    const stored = JSON.stringify([house.auditEntries(), house.all('api-keys')]);
    expect(stored).not.toContain(value);
    expect(JSON.stringify(house.auditEntries())).not.toContain(key.key_hash);
  });

  it('is created once for each seed, with the same value, wherever the first request dies', async () => {
    const create = ({ deps }: ReturnType<typeof aHouse>) => createApiKey(deps, actor, { ...backend, seed: SEED });
    for await (const [house, cut] of worldThatDies(aHouse, create, 1)) {
      const [made, again] = [await create(house), await create(house)];
      expect([cut, again]).toEqual([cut, made]);
      expect([cut, hashApiKey(made.value)]).toEqual([cut, house.all('api-keys')[0]?.key_hash]);
      expect([cut, house.all('api-keys').length, house.audited().length]).toEqual([cut, 1, 1]);
    }
    const house = aHouse();
    const both = await Promise.all([create(house), create(house)]);
    expect(both[0]).toEqual(both[1]);
    expect(house.all('api-keys')).toHaveLength(1);
  });

  it('differs for another person, organization or seed', async () => {
    const house = aHouse();
    const ravi: Actor = { ...actor, user_id: 'u2' };
    const made = [
      await createApiKey(house.deps, actor, { ...backend, seed: SEED }),
      await createApiKey(house.deps, ravi, { ...backend, seed: SEED }),
      await createApiKey(house.deps, actor, { ...backend, seed: SEED, org_id: 'org2' }),
      await createApiKey(house.deps, actor, { ...backend, seed: `${SEED}s` }),
      await createApiKey(house.deps, actor, backend),
      await createApiKey(house.deps, actor, backend),
    ];
    expect(new Set(made.map(({ value }) => value)).size).toBe(made.length);
    expect(made.flatMap(({ value }) => readApiKey(value)?.hash ?? [])).toEqual(made.map(({ key }) => key.key_hash));
  });

  it.each([
    ['with another name', { name: 'shop' }],
    ['with other permissions', { permissions: ['calls:read' as const, 'assistants:read' as const] }],
    ['after its revocation', {}],
  ])('is not returned to a repeat %s, which changes nothing', async (_, more) => {
    const house = aHouse();
    const { key } = await createApiKey(house.deps, actor, { ...backend, seed: SEED });
    if (Object.keys(more).length === 0) await revokeApiKey(house.deps, actor, { org_id: ORG, key_id: key.key_id });
    const before = [house.all('api-keys'), house.audited()];
    const repeated = await creating(house.deps, actor, { ...backend, ...more, seed: SEED });
    expect(repeated).toEqual({ kind: 'key_created_before' });
    expect([house.all('api-keys'), house.audited()]).toEqual(before);
  });

  it('is revoked once, with one audit entry, however often a revocation runs and wherever it dies', async () => {
    const begin = async () => {
      const house = aHouse();
      const { key } = await createApiKey(house.deps, actor, backend);
      house.pass(60);
      return Object.assign(house, { key });
    };
    const revoke = ({ deps, key }: Awaited<ReturnType<typeof begin>>) =>
      revokeApiKey(deps, actor, { org_id: ORG, key_id: key.key_id });
    for await (const [house, cut] of worldThatDies(begin, revoke, 3)) {
      house.pass(60);
      const again = await revoke(house);
      const revoked_at = house.all('api-keys')[0]?.revoked_at;
      expect([cut, again]).toMatchObject([cut, { kind: 'revoked', key: { revoked_at } }]);
      expect([cut, house.audited().map(({ action }) => action)]).toEqual([cut, ['key.created', 'key.revoked']]);
      expect(house.audited()[1]?.after).toEqual({ revoked_at });
      expect([cut, house.all('rate-limits')]).toEqual([cut, []]);
    }
  });

  it('shows when it was last used, also after its revocation, or when an older version noted it', async () => {
    const house = aHouse();
    const { key, value } = await createApiKey(house.deps, actor, backend);
    const stored = () => house.all('api-keys')[0] as ApiKey;
    const shown = async () => (await withLastUse(house.deps, stored())).last_used_at;
    const use = () => admitRequest(house.deps, `Bearer ${value}`, {});
    expect(await shown()).toBe(undefined);
    house.put('organizations', anOrg());
    house.put('api-keys', { ...stored(), last_used_at: house.now });
    expect(await shown()).toBe(START);
    house.pass(7);
    await use();
    expect(await shown()).toBe(secondsAfter(START, 7));
    house.put('api-keys', { ...stored(), last_used_at: secondsAfter(START, 8) });
    expect(await shown()).toBe(secondsAfter(START, 8));

    house.pass(20);
    await use();
    house.pass(20);
    const revoked = await revokeApiKey(house.deps, actor, { org_id: ORG, key_id: key.key_id });
    expect(revoked).toMatchObject({ key: { last_used_at: secondsAfter(START, 27) } });
    house.pass(20);
    await use();
    expect([await shown(), house.all('rate-limits')]).toEqual([secondsAfter(START, 27), []]);
  });

  it.each([
    ['of another organization', 'org2', undefined],
    ['that is unknown', ORG, 'key_0'],
    ['without a possible id', ORG, ''],
  ])('%s is not found, and no key changes', async (_, org_id, id) => {
    const house = aHouse();
    const { key } = await createApiKey(house.deps, actor, backend);
    expect(await revokeApiKey(house.deps, actor, { org_id, key_id: id ?? key.key_id })).toEqual({
      kind: 'key_not_found',
    });
    expect([house.audited().length, house.all('api-keys')]).toMatchObject([1, [{ created_at: START }]]);
    expect(house.all('api-keys')[0]).not.toHaveProperty('revoked_at');
  });
});
