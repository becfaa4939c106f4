import {
  changeRole,
  inviteMember,
  listAuditEntries,
  listMembers,
  removeMember,
  showMe,
  updateMe,
} from '../../../shared/messages/dashboard/people.ts';
import { signIn } from '../../../shared/messages/dashboard/session.ts';
import { aBrowser, acting, aMember, ask, type Person } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';

describe('show-me and update-me', () => {
  it('show the person with the organization in credits, and the admins to contact', async () => {
    const org = await anOrg({ credits: 12.5 });
    const [owner, viewer] = [await aMember(org, 'owner'), await aMember(org, 'viewer')];
    const { body } = await (await acting(viewer))(showMe);
    expect(showMe.answer.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      email: viewer.email,
      role: 'viewer',
      phone: null,
      org: { org_id: org.orgId, available: 12.5, held: 0, is_suspended: false },
      admins: [{ email: owner.email }],
      stage: 'local',
    });
  });

  it('change the name and the number, which is read in the usual forms of the region', async () => {
    const asViewer = await acting(await aMember(await anOrg(), 'viewer'));
    const changed = await asViewer(updateMe, { body: { name: ' Meera ', phone: '098765 43210' } });
    expect([changed.status, changed.body]).toMatchObject([200, { name: 'Meera', phone: '+919876543210' }]);
    const refused = await asViewer(updateMe, { body: { phone: '12' } });
    expect([refused.status, refused.body.fields]).toMatchObject([400, [{ path: 'phone' }]]);
    expect((await asViewer(updateMe, { body: { phone: null } })).body.phone).toBeNull();
    expect((await asViewer(updateMe, { body: { email_notices: false } })).body.email_notices).toBe(false);
  });
});

describe('invite-member, list-members, change-role and remove-member', () => {
  it('take a person from the invitation to the removal, with every step in the audit log', async () => {
    const owner = await aMember(await anOrg(), 'owner');
    const asOwner = await acting(owner);
    const email = `meera-${owner.userId.slice(0, 8)}@example.com`;
    const invited = await asOwner(inviteMember, { body: { email, name: 'Meera', role: 'viewer' } });
    expect(invited).toMatchObject({ status: 201, body: { is_repeat: false, member: { email, role: 'viewer' } } });
    const again = await asOwner(inviteMember, { body: { email, name: 'Meera', role: 'viewer' } });
    expect(again).toMatchObject({ status: 200, body: { is_repeat: true } });

    const browser = aBrowser();
    const first = await browser.ask(signIn, { email, password: again.body.first_password });
    const { challenge_session } = first.body;
    const { body } = await browser.ask(signIn, { email, new_password: 'a long new password', challenge_session });
    const token = String(body.access_token);
    expect((await ask(listMembers, { token })).status).toBe(403);

    const { user_id: id = '' } = (invited.body.member ?? {}) as { user_id?: string };
    expect((await asOwner(changeRole, { body: { role: 'admin' } }, { id })).body).toMatchObject({ role: 'admin' });
    expect((await ask(listMembers, { token })).status).toBe(200);
    expect((await asOwner(changeRole, { body: { role: 'member' } }, { id })).body).toMatchObject({ role: 'member' });
    expect(await ask(listMembers, { token })).toMatchObject({ status: 403, body: { error: 'not_permitted' } });
    expect((await asOwner(removeMember, {}, { id })).status).toBe(204);
    expect(await ask(listMembers, { token })).toMatchObject({ status: 403, body: { error: 'no_membership' } });
    expect((await asOwner(removeMember, {}, { id })).status).toBe(404);

    const second = { email: `ravi-${owner.userId.slice(0, 8)}@example.com`, name: 'Ravi', role: 'owner' } as const;
    expect(await asOwner(inviteMember, { body: second })).toMatchObject({
      status: 201,
      body: { member: { role: 'owner' } },
    });

    const { body: log } = await asOwner(listAuditEntries, { query: `?thing=${id}` });
    expect(listAuditEntries.answer.parse(log).items.map(({ action, actor }) => [action, actor.name])).toEqual([
      ['member.removed', owner.email],
      ['member.role_changed', owner.email],
      ['member.role_changed', owner.email],
      ['member.invited', owner.email],
    ]);
    expect(JSON.stringify(log)).not.toContain(String(again.body.first_password));
  });

  it('protect the last owner, and let only owners decide about owners', async () => {
    const org = await anOrg();
    const [owner, admin] = [await aMember(org, 'owner'), await aMember(org, 'admin')];
    const [asOwner, asAdmin] = [await acting(owner), await acting(admin)];
    const ofOwner = { id: owner.userId };
    expect(await asOwner(removeMember, {}, ofOwner)).toMatchObject({ status: 409, body: { error: 'last_owner' } });
    expect((await asOwner(changeRole, { body: { role: 'viewer' } }, ofOwner)).status).toBe(409);
    for (const refused of [
      await asAdmin(removeMember, {}, ofOwner),
      await asAdmin(changeRole, { body: { role: 'owner' } }, { id: admin.userId }),
      await asAdmin(inviteMember, { body: { email: 'x@example.com', name: 'X', role: 'owner' } }),
    ])
      expect(refused).toMatchObject({ status: 403, body: { error: 'not_permitted' } });
  });

  it('list every member once, page by page, while others are added, and refuse a cursor of another list', async () => {
    const org = await anOrg();
    const people = await Promise.all(
      ['owner', 'viewer', 'viewer', 'member', 'viewer'].map((role) => aMember(org, role as never)),
    );
    const asOwner = await acting(people[0] as Person);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const query: string = `?limit=2${next ? `&next=${encodeURIComponent(next)}` : ''}`;
      const { body } = await asOwner(listMembers, { query });
      const page = listMembers.answer.parse(body);
      seen.push(...page.items.map(({ email }) => email));
      next = page.next;
    }
    expect(seen).toEqual(people.map(({ email }) => email).sort());
    const refused = await asOwner(listMembers, { query: '?next=bm90IGpzb24' });
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request', fields: [{ path: 'next' }] } });
  });
});

describe('list-audit-entries', () => {
  it('filters by action, person and time, and reports how far it has searched', async () => {
    const org = await anOrg();
    const owner = await aMember(org, 'owner');
    for (let count = 0; count < 3; count += 1) await aMember(org, 'viewer');
    const asOwner = await acting(owner);
    const list = async (query: string) =>
      listAuditEntries.answer.parse((await asOwner(listAuditEntries, { query })).body);
    expect((await list('')).items).toHaveLength(4);
    expect((await list('?action=member.removed')).items).toEqual([]);
    expect((await list(`?actor=${owner.email}`)).items).toEqual([]);
    expect((await list('?to=2020-01-01T00:00:00.000Z')).items).toEqual([]);
    const first = await list('?limit=3&action=member.invited');
    expect([first.items.length, first.searched_to]).toEqual([3, first.items.at(-1)?.at]);
    const rest = await list(`?limit=3&action=member.invited&next=${first.next}`);
    expect([rest.items.length, rest.next]).toEqual([1, null]);
    expect(new Set([...first.items, ...rest.items].map(({ entry }) => entry)).size).toBe(4);
    expect((await stores.audit.page(org.orgId, { limit: 10 })).items).toHaveLength(4);
  });
});
