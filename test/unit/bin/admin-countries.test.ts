import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { aCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { anOrg } from '../support/worlds/items.ts';

const ids = ['org_a', 'org_b', 'org_c', 'org_d', 'org_e'];
/** An organization that already had a list. */
const LIMITED = 'org_b';

/** Organizations without a list, on more than one page, each of which has called the United Arab Emirates. */
function aStage() {
  const world = adminWorld({
    organizations: ids.map((org_id) => anOrg({ org_id, ...(org_id === LIMITED && { countries: ['US'] }) })),
  });
  for (const org_id of ids)
    world.putCall(aCall({ org_id, call_id: `call_of_${org_id}`, phone_number: '+971501234567' }));
  const listOf = async (org_id: string) => ((await world.stores.organizations.get(org_id)) as Organization).countries;
  return { world, lists: () => Promise.all(ids.map(listOf)) };
}

/** Makes DynamoDB refuse each write to an organization. */
const refuseWritesOf = (world: ReturnType<typeof adminWorld>, orgId: string) => {
  world.hooks.before = (operation, input) => {
    if (operation === 'TransactWrite' && JSON.stringify(input).includes(`"Key":{"org_id":"${orgId}"}`))
      throw new Error('the disk is full');
  };
};

describe('org adopt-countries --all', () => {
  it('gives every organization without a list its one entry, with an audit entry; a repeat changes no organization', async () => {
    const { world, lists } = aStage();
    const first = await world.admin('org adopt-countries --all');
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(JSON.parse(first.stdout)).toEqual({
      adopted: ids.filter((id) => id !== LIMITED).map((org_id) => ({ org_id, countries: ['IN', 'AE'] })),
      failed: [],
    });
    expect(await lists()).toEqual([['AE'], ['US'], ['AE'], ['AE'], ['AE']]);
    expect(world.auditEntries().map(({ org_id }) => org_id)).toEqual(['org_a', 'org_c', 'org_d', 'org_e']);
    expect(JSON.parse((await world.admin('org adopt-countries --all')).stdout)).toEqual({ adopted: [], failed: [] });
    expect(world.auditEntries()).toHaveLength(4);
  });

  it('continues if one organization fails, names it and exits with 1; a repeat succeeds for that one', async () => {
    const { world, lists } = aStage();
    refuseWritesOf(world, 'org_c');
    const { code, stdout } = await world.admin('org adopt-countries --all');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      adopted: [{ org_id: 'org_a' }, { org_id: 'org_d' }, { org_id: 'org_e' }],
      failed: [{ org_id: 'org_c', message: 'the disk is full' }],
    });
    expect((await lists())[2]).toBeUndefined();
    const shown = await world.atTerminal('org adopt-countries --all');
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringMatching(/org_c +the disk is full/) });
    world.hooks.before = undefined;
    expect(JSON.parse((await world.admin('org adopt-countries --all')).stdout)).toMatchObject({
      adopted: [{ org_id: 'org_c' }],
      failed: [],
    });
  });

  it('requires exactly one of --org and --all', async () => {
    const { world } = aStage();
    for (const command of ['org adopt-countries', 'org adopt-countries --all --org org_a'])
      expect(await world.admin(command)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--org .*--all/) });
    expect(world.auditEntries()).toEqual([]);
  });
});
