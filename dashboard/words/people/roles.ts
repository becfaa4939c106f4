import type { Role } from '../../../shared/domain/organizations/members/member.ts';

export const roleNames: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  member: 'Member',
  admin: 'Admin',
  owner: 'Owner',
};

export const roleMeanings: Readonly<Record<Role, string>> = {
  viewer: 'Reads calls, leads, assistants and credit.',
  member: 'Also works with calls, leads and assistants.',
  admin: 'Also sets up connections and keys, invites people and reads the audit log.',
  owner: 'Also decides who else is an owner. An organization keeps at least one owner.',
};

/** Why a person may not do something, by the role that it requires. */
export const requiredRoleSentences: Readonly<Record<Role, string>> = {
  viewer: 'Only members of the organization may do this.',
  member: 'Viewers may only read.',
  admin: 'Only admins and owners may do this.',
  owner: 'Only owners may do this.',
};
