import { createKey, listKeys, revokeKey } from '../../../shared/messages/dashboard/keys.ts';
import { done } from '../../support/admin/cli.ts';
import { acting, aMember, aSeed } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { request } from '../../support/rest/rest.ts';

const statusWith = async (value: string): Promise<number> =>
  (await request('GET', '/v1/calls/any', { headers: { authorization: `Bearer ${value}` } })).status;
const auditOf = async ({ orgId }: TestOrg) => (await stores.audit.page(orgId, { limit: 50 })).items;

describe('create-key, list-keys and revoke-key', () => {
  it('create a key that works at once, show its value only to its request and a repeat of it, and revoke the key at once', async () => {
    const org = await anOrg();
    const admin = await aMember(org, 'admin');
    const asAdmin = await acting(admin);
    const body = { name: ' backend ', permissions: ['calls:read', 'calls:read'], seed: aSeed() };
    const made = await asAdmin(createKey, { body });
    expect(made.status).toBe(201);
    const { key, value } = createKey.answer.parse(made.body);
    expect(await asAdmin(createKey, { body })).toMatchObject({ status: 201, body: made.body });
    const other = await asAdmin(createKey, { body: { ...body, name: 'other' } });
    expect(other).toMatchObject({ status: 409, body: { error: 'key_created_before' } });
    expect(key).toMatchObject({ name: 'backend', permissions: ['calls:read'], revoked_at: null });
    expect(await statusWith(value)).toBe(404);

    const listed = await asAdmin(listKeys);
    const { items } = listKeys.answer.parse(listed.body);
    expect(items.map(({ name }) => name)).toEqual(['backend', 'test']);
    expect((await asAdmin(revokeKey, {}, { id: key.key_id })).status).toBe(204);
    expect(await statusWith(value)).toBe(401);
    expect((await asAdmin(revokeKey, {}, { id: key.key_id })).status).toBe(204);
    const { items: after } = listKeys.answer.parse((await asAdmin(listKeys)).body);
    const shown = after.find(({ key_id }) => key_id === key.key_id);
    expect(shown).toMatchObject({ created_by: admin.email, last_used_at: expect.any(String) });
    expect(shown?.revoked_at).toMatch(/Z$/);

    const entries = (await auditOf(org)).filter(({ action }) => action.startsWith('key.'));
    expect(entries.map(({ action, thing, actor }) => [action, thing.id, actor])).toEqual(
      ['key.revoked', 'key.created'].map((action) => [
        action,
        key.key_id,
        { kind: 'member', user_id: admin.userId, email: admin.email },
      ]),
    );
    const { key_hash = '' } = (await stores.apiKeys.find(key.key_id)) ?? {};
    for (const secret of [value, key_hash]) expect(JSON.stringify([listed.body, entries])).not.toContain(secret);
  });

  it('create a key with the default permissions and a random value if the request names neither', async () => {
    const asAdmin = await acting(await aMember(await anOrg(), 'admin'));
    const { key } = createKey.answer.parse((await asAdmin(createKey, { body: { name: 'usual' } })).body);
    expect(key.permissions).toEqual(['calls:write', 'assistants:read']);
  });

  it('refuse an unknown permission, an empty name, a short seed and an unknown field', async () => {
    const asAdmin = await acting(await aMember(await anOrg(), 'admin'));
    for (const body of [
      { name: 'x', permissions: [], seed: aSeed() },
      { name: 'x', permissions: ['everything'], seed: aSeed() },
      { name: ' ', permissions: ['calls:read'], seed: aSeed() },
      { name: 'x', permissions: ['calls:read'], seed: aSeed(), org_id: 'org1' },
      { name: 'x', permissions: ['calls:read'], seed: 'x'.repeat(42) },
    ])
      expect(await asAdmin(createKey, { body })).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('list every key once, page by page, while others are added, and refuse a foreign cursor', async () => {
    const org = await anOrg();
    const [asAdmin, asOther] = [
      await acting(await aMember(org, 'admin')),
      await acting(await aMember(await anOrg(), 'viewer')),
    ];
    const create = (name: string) => asAdmin(createKey, { body: { name, permissions: ['calls:read'], seed: aSeed() } });
    for (const name of ['a', 'b', 'c', 'd']) await create(name);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const query: string = `?limit=2${next ? `&next=${next}` : ''}`;
      const page = listKeys.answer.parse((await asAdmin(listKeys, { query })).body);
      seen.push(...page.items.map(({ name }) => name));
      next = page.next;
      if (next) expect((await asOther(listKeys, { query: `?next=${next}` })).status).toBe(400);
      await create(`later-${seen.length}`);
    }
    expect(seen).toEqual(['d', 'c', 'b', 'a', 'test']);
  });

  it('use the operations of the command line, whose audit entries name the operator', async () => {
    const org = await anOrg();
    const created = await done('key', 'create', '--org', org.orgId, '--name', 'cli', '--permissions', 'calls:read');
    const revoked = await done('key', 'revoke', '--key', String(created.key_id));
    expect(await done('key', 'revoke', '--key', String(created.key_id))).toEqual(revoked);
    const entries = await auditOf(org);
    expect(entries.map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['key.revoked', 'operator'],
      ['key.created', 'operator'],
    ]);
    expect(await statusWith(String(created.api_key))).toBe(401);
  });
});
