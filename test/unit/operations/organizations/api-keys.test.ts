import { type Actor, auditEntrySchema } from '../../../../shared/domain/organizations/audit-entry.ts';
import { createApiKey } from '../../../../shared/operations/organizations/create-api-key.ts';
import { revokeApiKey } from '../../../../shared/operations/organizations/revoke-api-key.ts';
import { ORG } from '../../support/items.ts';
import { aWorld, START } from '../../support/world.ts';
import { worldThatDies } from '../../support/world-that-dies.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const backend = { org_id: ORG, name: 'backend', permissions: ['calls:read' as const] };

function aHouse() {
  const world = aWorld();
  let tokens = 0;
  const deps = { ...world.common, newToken: () => String(++tokens) };
  const audited = () => world.auditEntries().map((item) => auditEntrySchema.parse(item));
  return Object.assign(world, { deps, audited });
}

describe('an API key', () => {
  it('is created with its audit entry or not at all, and its value is stored nowhere', async () => {
    for await (const [house, cut] of worldThatDies(aHouse, ({ deps }) => createApiKey(deps, actor, backend), 1)) {
      expect([cut, house.audited().length]).toEqual([cut, house.all('api-keys').length]);
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

  it('is revoked once, with one audit entry, however often and wherever a revocation dies', async () => {
    const begin = async () => {
      const house = aHouse();
      const { key } = await createApiKey(house.deps, actor, backend);
      house.pass(60);
      return Object.assign(house, { key });
    };
    const revoke = ({ deps, key }: Awaited<ReturnType<typeof begin>>) =>
      revokeApiKey(deps, actor, { org_id: ORG, key_id: key.key_id });
    for await (const [house, cut] of worldThatDies(begin, revoke, 2)) {
      house.pass(60);
      const again = await revoke(house);
      const revoked_at = house.all('api-keys')[0]?.revoked_at;
      expect([cut, again]).toMatchObject([cut, { kind: 'revoked', key: { revoked_at } }]);
      expect([cut, house.audited().map(({ action }) => action)]).toEqual([cut, ['key.created', 'key.revoked']]);
      expect(house.audited()[1]?.after).toEqual({ revoked_at });
    }
  });

  it.each([
    ['of another organization', 'org2', undefined],
    ['that is unknown', ORG, 'key_0'],
    ['without a possible id', ORG, ''],
  ])('%s is not found, and nothing changes', async (_, org_id, id) => {
    const house = aHouse();
    const { key } = await createApiKey(house.deps, actor, backend);
    expect(await revokeApiKey(house.deps, actor, { org_id, key_id: id ?? key.key_id })).toEqual({
      kind: 'key_not_found',
    });
    expect([house.audited().length, house.all('api-keys')]).toMatchObject([1, [{ created_at: START }]]);
    expect(house.all('api-keys')[0]).not.toHaveProperty('revoked_at');
  });
});
