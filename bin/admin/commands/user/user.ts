import type { Shown } from '../../../../shared/domain/newer-values.ts';
import { type Member, type Role, roles } from '../../../../shared/domain/organizations/members/member.ts';
import { viewMember } from '../../../../shared/domain/organizations/members/member-view.ts';
import { newFirstPassword } from '../../../../shared/domain/organizations/members/password.ts';
import { userPoolPeople } from '../../../../shared/integrations/user-pool/people.ts';
import { type ActingAs, inviteMember } from '../../../../shared/operations/organizations/members/invite-member.ts';
import { removeMember } from '../../../../shared/operations/organizations/members/remove-member.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { facts, printable, table } from '../../output.ts';
import { invalid, oneOf, text } from '../../values.ts';
import { type Answer, type Noun, type OfOrg, optional, orgOption, required, verb } from '../../verb.ts';

type Invitation = OfOrg & { email: string; name?: string; role: string };
type OfUser = OfOrg & { user: string };

export const user: Noun = {
  name: 'user',
  summary: 'Users of the dashboard',
  verbs: [
    verb<Invitation>({
      usage: 'invite',
      summary: 'Invites a person, who gets a first password by e-mail (the local cloud shows it)',
      options: [
        orgOption,
        required('--email <address>', 'e-mail address, which is the user name'),
        optional('--name <text>', 'name of the person; otherwise the part of the address before the @'),
        optional('--role <role>', `one of ${roles.join(', ')}`, 'owner'),
      ],
      act: invite,
    }),
    verb<OfOrg>({ usage: 'list', summary: 'Lists the people of an organization', options: [orgOption], act: list }),
    verb<OfUser>({
      usage: 'remove',
      summary: "Removes a person: the person's next request is refused",
      options: [orgOption, required('--user <id>', 'user ID')],
      act: remove,
    }),
  ],
};

/** Operators may act on every member. */
const operator = async (cloud: Cloud): Promise<ActingAs> => ({ actor: await cloud.operator(), role: 'owner' });

const PAGE = 200;

async function listOfOrg({ members }: Cloud, orgId: string): Promise<Shown<Member>[]> {
  const found: Shown<Member>[] = [];
  for (let after: Shown<Member> | undefined; ; ) {
    const { items, last } = await members.page(orgId, PAGE, after && { email: after.email, user_id: after.user_id });
    found.push(...items);
    after = last && items.at(-1);
    if (!after) return found;
  }
}

async function invite(cloud: Cloud, flags: Invitation): Promise<Answer> {
  const name = text('--name', flags.name ?? flags.email.split('@')[0] ?? '');
  const role: Role = oneOf('--role', flags.role, roles);
  const { org_id } = await findOrg(cloud, flags.org);
  const pool = userPoolPeople(cloud.cognito, await cloud.userPoolId());
  const sendsNoMail = cloud.place.emulatorUrl !== undefined;
  const deps = { ...cloud, pool, ...(sendsNoMail && { firstPassword: newFirstPassword }) };
  const result = await inviteMember(deps, await operator(cloud), { org_id, email: flags.email, name, role });
  switch (result.kind) {
    case 'invited': {
      const dashboard_url = await cloud.dashboardUrl();
      const first = result.firstPassword;
      return {
        json: { ...viewMember(result.member), dashboard_url, ...(first && { temporary_password: first }) },
        people: `${printable(name)} is invited as ${role}.\n\n${facts(viewMember(result.member))}\n\nSign in at ${dashboard_url}${
          first ? ` with the first password ${first}` : ' with the first password from the e-mail, within 7 days'
        }.`,
      };
    }
    case 'invalid_email':
      throw invalid('--email must be an e-mail address.');
    default:
      throw new Refusal('address_in_use', 'This person is a member already, or belongs to another organization.');
  }
}

async function list(cloud: Cloud, flags: OfOrg): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const users = (await listOfOrg(cloud, org_id)).map(viewMember);
  const rows = users.map((one) => [one.user_id, one.email, one.name, one.role, one.created_at]);
  return {
    json: { users },
    people: table(['user_id', 'email', 'name', 'role', 'created_at'], rows, 'The organization has no users.'),
  };
}

const messageOf = {
  member_not_found: 'The organization has no such user: user list --org … lists its users.',
  not_permitted: 'Only an owner may remove an owner.',
  last_owner: 'This is the last owner: invite another one first.',
  changed_meanwhile: 'Another person changed this user at the same time. Check it again.',
} as const;

async function remove(cloud: Cloud, flags: OfUser): Promise<Answer> {
  const { org_id } = await findOrg(cloud, flags.org);
  const pool = userPoolPeople(cloud.cognito, await cloud.userPoolId());
  const { kind } = await removeMember({ ...cloud, pool }, await operator(cloud), {
    org_id,
    user_id: flags.user,
  });
  if (kind !== 'removed') throw new Refusal(kind, messageOf[kind]);
  return { json: { user_id: flags.user, removed: true }, people: `User ${printable(flags.user)} is removed.` };
}
