import type { Role } from '../../shared/domain/organizations/member.ts';

export const roleNames: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  member: 'Member',
  admin: 'Admin',
  owner: 'Owner',
};

export const roleMeanings: Readonly<Record<Role, string>> = {
  viewer: 'Reads what the service did, and changes nothing.',
  member: 'Also works with calls, leads and assistants.',
  admin: 'Also sets up connections and keys, invites people and reads the audit log.',
  owner: 'Also decides who else is an owner. The last owner stays.',
};

/** Why somebody with less may not do something. */
export const needed: Readonly<Record<Role, string>> = {
  viewer: 'Only members of the organization may do this.',
  member: 'Viewers may only read.',
  admin: 'Only admins and owners may do this.',
  owner: 'Only owners may do this.',
};

/** The rights that tell the roles apart, each with the least role that has it. */
export const comparedRights: readonly { right: string; from: Role }[] = [
  { right: 'Read calls, leads, assistants and credit', from: 'viewer' },
  { right: 'Change one’s own name, phone number and password', from: 'viewer' },
  { right: 'Make test calls, edit assistants, add do-not-call numbers', from: 'member' },
  { right: 'Set up connections and API keys', from: 'admin' },
  { right: 'Invite people, change roles, remove people', from: 'admin' },
  { right: 'Read and export the audit log', from: 'admin' },
  { right: 'Make somebody an owner, or take it back', from: 'owner' },
];
