import {
  CodeDeliveryFailureException,
  type CognitoIdentityProviderClient,
} from '@aws-sdk/client-cognito-identity-provider';
import fc from 'fast-check';
import { type Actor, auditEntrySchema } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import {
  type Member,
  mayDecideAbout,
  type Role,
  roles,
} from '../../../../shared/domain/organizations/members/member.ts';
import { userPoolPasswords } from '../../../../shared/integrations/user-pool/passwords.ts';
import { memberAdmission } from '../../../../shared/operations/organizations/members/admit-member.ts';
import { changeRole } from '../../../../shared/operations/organizations/members/change-role.ts';
import { inviteMember } from '../../../../shared/operations/organizations/members/invite-member.ts';
import { removeMember } from '../../../../shared/operations/organizations/members/remove-member.ts';
import { updateMe } from '../../../../shared/operations/organizations/members/update-me.ts';
import { requestPasswordReset } from '../../../../shared/operations/organizations/sessions/passwords.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const OTHER_ORG = 'org2';
const actor: Actor = { kind: 'operator', name: 'test' };
const owner = { actor, role: 'owner' as const };
const aMember = (role: Role, more: Partial<Member> = {}): Member => ({
  user_id: `user-${role}`,
  org_id: ORG,
  email: `${role}@example.com`,
  name: role,
  role,
  created_at: START,
  ...more,
});

/** The real stores on the in-memory tables, and a user pool that records added, mailed and removed people. */
function aHouse(members: Member[] = []) {
  const owners = members.filter(({ role }) => role === 'owner').length;
  const world = aWorld({ organizations: [{ ...anOrg(), owners }, anOrg({ org_id: OTHER_ORG })], members });
  const people = new Map(members.map(({ email, user_id }) => [email, user_id]));
  const mailed: string[] = [];
  const pool = world.outside({
    add: async (email: string) => {
      if (people.has(email)) return undefined;
      people.set(email, `new-${email}`);
      mailed.push(email);
      return `new-${email}`;
    },
    find: async (email: string) => {
      const userId = people.get(email);
      return userId === undefined ? undefined : { userId, hasOwnPassword: !userId.startsWith('new-') };
    },
    inviteAgain: async (email: string) => void mailed.push(email),
    remove: async (email: string) => void people.delete(email),
  });
  let tokens = 0;
  const deps = { ...world.common, pool, newToken: () => String(++tokens) };
  const stored = () => world.all('members') as unknown as Member[];
  const audited = () => world.auditEntries().map((item) => auditEntrySchema.parse(item));
  const ownersCounted = async () => (await world.stores.organizations.get(ORG))?.owners ?? 0;
  return { world, deps, people, mailed, stored, audited, ownersCounted };
}

const anInvitation = (more: object = {}) => ({
  org_id: ORG,
  email: ' Meera@Example.com ',
  name: 'Meera',
  role: 'member' as const,
  ...more,
});

describe('an invitation', () => {
  it('creates the person, the membership and its audit entry once, however often it is repeated', async () => {
    const house = aHouse();
    const first = await inviteMember(house.deps, owner, anInvitation());
    const again = await inviteMember(house.deps, owner, anInvitation());
    expect([first, again]).toMatchObject([
      { kind: 'invited', isRepeat: false },
      { kind: 'invited', isRepeat: true },
    ]);
    expect(house.stored()).toMatchObject([{ email: 'meera@example.com', role: 'member', org_id: ORG }]);
    expect(house.mailed).toEqual(['meera@example.com', 'meera@example.com']);
    expect(house.audited()).toMatchObject([{ action: 'member.invited', actor, after: { role: 'member' } }]);
  });

  it('that dies at any request is completed by a repeat', async () => {
    const invite = ({ deps }: ReturnType<typeof aHouse>) => inviteMember(deps, owner, anInvitation({ role: 'owner' }));
    const worlds = worldThatDies(
      () => {
        const house = aHouse();
        return Object.assign(house, { dying: house.world.dying });
      },
      invite,
      2,
    );
    for await (const [house, cut] of worlds) {
      expect([cut, await invite(house)]).toMatchObject([cut, { kind: 'invited' }]);
      expect([cut, house.stored().length, await house.ownersCounted(), house.audited().length]).toEqual([cut, 1, 1, 1]);
      expect(house.mailed).toContain('meera@example.com');
    }
  });

  it('neither moves a person from another organization nor changes the role of a member', async () => {
    const house = aHouse([aMember('viewer'), aMember('admin', { org_id: OTHER_ORG })]);
    const inOther = await inviteMember(house.deps, owner, anInvitation({ email: 'admin@example.com' }));
    const inThis = await inviteMember(house.deps, owner, anInvitation({ email: 'viewer@example.com' }));
    expect([inOther, inThis]).toMatchObject([{ kind: 'address_in_use' }, { kind: 'address_in_use' }]);
    expect(inOther).not.toHaveProperty('member');
    expect(house.stored().map(({ role }) => role)).toEqual(['viewer', 'admin']);
    expect([house.mailed, house.audited()]).toEqual([[], []]);
  });

  it.each(['', 'nobody', 'a@', 'a@b@c.de', `${'x'.repeat(250)}@a.de`])(
    'of the address "%s" is refused',
    async (email) => {
      const house = aHouse();
      expect(await inviteMember(house.deps, owner, anInvitation({ email }))).toEqual({ kind: 'invalid_email' });
      expect([house.people.size, house.stored()]).toEqual([0, []]);
    },
  );
});

describe('the last owner', () => {
  const house = () => aHouse([aMember('owner'), aMember('admin')]);

  it('cannot be removed or demoted', async () => {
    const one = house();
    const target = { org_id: ORG, user_id: 'user-owner' };
    expect(await removeMember(one.deps, owner, target)).toEqual({ kind: 'last_owner' });
    expect(await changeRole(one.deps, owner, { ...target, role: 'admin' })).toEqual({ kind: 'last_owner' });
    expect([one.stored().length, await one.ownersCounted(), one.audited()]).toEqual([2, 1, []]);
    expect(one.people.has('owner@example.com')).toBe(true);
  });

  it('can be removed once another owner exists', async () => {
    const one = house();
    await changeRole(one.deps, owner, { org_id: ORG, user_id: 'user-admin', role: 'owner' });
    expect(await removeMember(one.deps, owner, { org_id: ORG, user_id: 'user-owner' })).toEqual({ kind: 'removed' });
    expect([await one.ownersCounted(), one.people.has('owner@example.com')]).toEqual([1, false]);
  });

  it('remains after any mix of changes by several people', async () => {
    const change = fc.record({
      by: fc.constantFrom(...roles),
      of: fc.constantFrom(...roles),
      to: fc.constantFrom<Role | 'gone'>(...roles, 'gone'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const one = aHouse(roles.map((role) => aMember(role)));
        await Promise.all(
          changes.map(({ by, of, to }) => {
            const target = { org_id: ORG, user_id: `user-${of}` };
            return to === 'gone'
              ? removeMember(one.deps, { actor, role: by }, target)
              : changeRole(one.deps, { actor, role: by }, { ...target, role: to });
          }),
        );
        const owners = one.stored().filter(({ role }) => role === 'owner').length;
        expect(owners).toBeGreaterThan(0);
        expect(await one.ownersCounted()).toBe(owners);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a role', () => {
  it.each(roles.flatMap((own) => roles.map((other): [Role, Role] => [own, other])))(
    'of %s may change %s only as documented',
    async (own, other) => {
      const house = aHouse([
        aMember('owner', { user_id: 'o' }),
        aMember(other, { user_id: 't', email: 't@example.com' }),
      ]);
      const { kind } = await removeMember(house.deps, { actor, role: own }, { org_id: ORG, user_id: 't' });
      const may = own === 'owner' || (own === 'admin' && other !== 'owner');
      expect([kind, mayDecideAbout(own, other)]).toEqual([may ? 'removed' : 'not_permitted', may]);
    },
  );

  it('of another organization’s member cannot be changed, like an unknown person’s', async () => {
    const house = aHouse([aMember('viewer', { org_id: OTHER_ORG })]);
    const [foreign, unknown] = ['user-viewer', 'user-none'].map((user_id) => ({ org_id: ORG, user_id }));
    for (const target of [foreign, unknown]) {
      expect(await removeMember(house.deps, owner, target as never)).toEqual({ kind: 'member_not_found' });
      expect(await changeRole(house.deps, owner, { ...(target as never as object), role: 'admin' } as never)).toEqual({
        kind: 'member_not_found',
      });
    }
    expect(house.stored()).toHaveLength(1);
  });

  it('is assigned by at most 20 invitations per minute and organization, even concurrently, because each sends an e-mail', async () => {
    const house = aHouse([aMember('owner')]);
    const invite = (index: number) =>
      inviteMember(house.deps, owner, anInvitation({ email: `person-${index}@example.com` }));
    const atOnce = await Promise.all(Array.from({ length: 30 }, (_, index) => invite(index)));
    const refused = atOnce.filter(({ kind }) => kind !== 'invited');
    expect(refused).toEqual(Array(10).fill({ kind: 'too_many_invitations', resetSeconds: 60 }));
    expect([house.stored().length, house.mailed.length]).toEqual([21, 20]);
    house.world.pass(60);
    expect((await invite(40)).kind).toBe('invited');
  });

  it('is given once to a person with two concurrent invitations', async () => {
    const house = aHouse([aMember('owner')]);
    const invite = () => inviteMember(house.deps, owner, anInvitation());
    expect((await Promise.all([invite(), invite()])).map(({ kind }) => kind)).toEqual(['invited', 'invited']);
    expect([house.stored().length, house.audited().length]).toEqual([2, 1]);
  });

  it('is removed without the sign-in of its person if another organization invites the person at that moment', async () => {
    const house = aHouse([aMember('owner'), aMember('viewer')]);
    house.world.hooks.after = (operation) => {
      if (operation === 'TransactWrite') house.world.put('members', aMember('viewer', { org_id: OTHER_ORG }));
    };
    const target = { org_id: ORG, user_id: 'user-viewer' };
    expect(await removeMember(house.deps, owner, target)).toEqual({ kind: 'removed' });
    expect(house.people.has('viewer@example.com')).toBe(true);
  });

  it('change is refused if the member was changed or removed in between', async () => {
    const house = aHouse([aMember('viewer')]);
    house.world.beforeNextWrite(() => house.world.put('members', aMember('viewer', { role: 'admin' })));
    const change = { org_id: ORG, user_id: 'user-viewer', role: 'member' as const };
    expect(await changeRole(house.deps, owner, change)).toEqual({ kind: 'changed_meanwhile' });
    expect([house.stored()[0]?.role, house.audited()]).toEqual(['admin', []]);
  });
});

describe('admission', () => {
  const iat = Date.parse(START) / 1000;
  const claims = { sub: 'user-member', token_use: 'access', iat: String(iat) };
  const admit = (member: Member[], given: object = claims, needed: Role = 'member') =>
    memberAdmission(aHouse(member).deps)(given as typeof claims, needed);

  it('uses the stored organization and role', async () => {
    expect(await admit([aMember('member')])).toEqual({ kind: 'admitted', member: aMember('member') });
    expect(await admit([aMember('member')], claims, 'admin')).toEqual({ kind: 'not_permitted', needed: 'admin' });
  });

  it('refuses a token without a time of issue after a sign-out everywhere', async () => {
    const { kind } = await admit([aMember('member', { sessions_from: START })], { ...claims, iat: undefined });
    expect(kind).toBe('session_ended');
  });

  it('ends with the membership, even with a valid token', async () => {
    expect(await admit([])).toEqual({ kind: 'no_membership' });
  });

  it.each<[string, string | undefined, boolean]>([
    ['admits a person who has never signed out everywhere', undefined, true],
    ['admits a token that was issued after a sign-out everywhere', new Date((iat - 1) * 1000).toISOString(), true],
    [
      'refuses a token that was issued in the second of a sign-out everywhere',
      new Date(iat * 1000 + 500).toISOString(),
      false,
    ],
    ['refuses a token that was issued before a sign-out everywhere', new Date((iat + 60) * 1000).toISOString(), false],
  ])('%s', async (_when, sessions_from, isAdmitted) => {
    const { kind } = await admit([aMember('member', sessions_from ? { sessions_from } : {})]);
    expect(kind).toBe(isAdmitted ? 'admitted' : 'session_ended');
  });

  it.each([
    ['an id token', { ...claims, token_use: 'id' }],
    ['no claims', {}],
  ])('refuses %s', async (_what, given) => {
    expect(await admit([aMember('member')], given)).toEqual({ kind: 'session_ended' });
  });
});

describe("a person's profile", () => {
  const member = aMember('member', { phone: '+919812345678' });

  it('stores a number in E.164, and never writes it into the audit log', async () => {
    const house = aHouse([member]);
    const result = await updateMe(house.deps, member, anOrg(), { phone: '098765 43210' });
    expect(result).toEqual({ kind: 'updated', member: { ...member, phone: '+919876543210' } });
    expect(house.stored()[0]?.phone).toBe('+919876543210');
    expect(JSON.stringify(house.audited())).not.toMatch(/9876543210|9812345678/);
    expect(house.audited()).toMatchObject([{ action: 'member.updated', before: { phone: '+91*******678' } }]);
  });

  it('loses the number by null, but not by a change of the name', async () => {
    const house = aHouse([member]);
    await updateMe(house.deps, member, anOrg(), { name: 'Meera Rao' });
    expect(house.stored()[0]).toMatchObject({ name: 'Meera Rao', phone: '+919812345678' });
    await updateMe(house.deps, member, anOrg(), { phone: null });
    expect(house.stored()[0]).not.toHaveProperty('phone');
  });

  it('switches e-mails off and on again, and the audit log shows it', async () => {
    const house = aHouse([member]);
    const quiet = await updateMe(house.deps, member, anOrg(), { email_notices: false });
    expect(house.stored()[0]).toEqual({ ...member, has_no_emails: true });
    expect(house.audited()).toMatchObject([{ before: { email_notices: true }, after: { email_notices: false } }]);
    if (quiet.kind !== 'updated') throw new Error(quiet.kind);
    await updateMe(house.deps, quiet.member, anOrg(), { name: 'Meera Rao' });
    expect(house.stored()[0]).toMatchObject({ has_no_emails: true });
    await updateMe(house.deps, quiet.member, anOrg(), { email_notices: true });
    expect(house.stored()[0]).not.toHaveProperty('has_no_emails');
  });

  it('refuses a number that cannot be dialed, and is not created again after a removal', async () => {
    const house = aHouse([]);
    expect(await updateMe(house.deps, member, anOrg(), { phone: '12' })).toEqual({ kind: 'invalid_phone_number' });
    expect(await updateMe(house.deps, member, anOrg(), { name: 'Back' })).toEqual({ kind: 'no_membership' });
    expect([house.stored(), house.audited()]).toEqual([[], []]);
  });
});

describe('a request for a password reset code', () => {
  const undelivered = new CodeDeliveryFailureException({ $metadata: {}, message: 'The mailbox is full.' });
  const answers: [string, () => Promise<object>][] = [
    ['of a person', async () => ({})],
    ['of a person whose mailbox refuses it', () => Promise.reject(undelivered)],
    // The user pool hides that the person does not exist.
    ['of an unknown person', async () => ({ CodeDeliveryDetails: {} })],
  ];

  it.each(answers)('gets the same answer after the same time for the address %s', async (_of, send) => {
    const world = aWorld();
    const waited = Promise.withResolvers<void>();
    const waits: number[] = [];
    const sleep = (milliseconds: number) => {
      waits.push(milliseconds);
      return waited.promise;
    };
    const pool = userPoolPasswords({ send } as unknown as CognitoIdentityProviderClient, 'client');
    let isAnswered = false;
    const answer = requestPasswordReset({ ...world.common, pool, sleep, log: world.common.warn }, 'meera@example.com');
    void answer.then(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([isAnswered, waits]).toEqual([false, [700]]);
    waited.resolve();
    expect(await answer).toEqual({ kind: 'done' });
    expect(JSON.stringify(world.logged)).not.toContain('meera');
  });
});
