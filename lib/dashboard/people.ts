import { setting, table, userPool } from '../uses.ts';
import { audited, counted, poolClient, rowsIn } from './row.ts';

/** The right to update the number of owners, but not the credit. */
const owners = (...more: string[]) => ({
  ORGANIZATIONS_TABLE: table('organizations', ['UpdateItem'], undefined, ['org_id', 'owners', ...more]),
});
const shownOrg = {
  ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
  STAGE_NAME: setting('name'),
};

/** The functions about the members of an organization and the audit log. */
export const peopleFunctions = rowsIn('people', {
  'show-me': {
    uses: { ...shownOrg, MEMBERS_TABLE: table('members', ['GetItem'], { 'by-org': ['Query'] }) },
    ifItFails: 'No page of the dashboard opens.',
  },
  'update-me': {
    uses: {
      ...shownOrg,
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'UpdateItem'], { 'by-org': ['Query'] }, [
        'user_id',
        'org_id',
        'name',
        'phone',
        'has_no_emails',
      ]),
    },
    ifItFails: 'People cannot change their name and number.',
  },
  'change-password': {
    uses: { ...counted, ...poolClient },
    ifItFails: 'People cannot change their password.',
  },
  'list-members': {
    uses: { MEMBERS_TABLE: table('members', ['GetItem'], { 'by-org': ['Query'] }) },
    ifItFails: 'The page of the members stays empty, with an error.',
  },
  'invite-member': {
    uses: {
      ...owners('watched'),
      ...audited,
      ...counted,
      MEMBERS_TABLE: table('members', ['GetItem', 'PutItem']),
      USER_POOL_ID: userPool('AdminCreateUser', 'AdminGetUser'),
      SHOW_FIRST_PASSWORDS: setting('showFirstPasswords'),
    },
    ifItFails: 'Invitations fail; a repeat continues where this one ended.',
  },
  'change-role': {
    uses: {
      ...owners('watched'),
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'UpdateItem'], undefined, ['user_id', 'org_id', 'role']),
    },
    ifItFails: 'Roles stay as they are.',
  },
  'remove-member': {
    uses: {
      ...owners(),
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'DeleteItem']),
      USER_POOL_ID: userPool('AdminDeleteUser'),
    },
    ifItFails: 'Members stay. A member whose removal ended halfway no longer has rights.',
  },
  'list-audit-entries': {
    uses: { AUDIT_TABLE: table('audit', ['Query']) },
    ifItFails: 'The page of the audit log stays empty, with an error. Changes are still recorded.',
  },
});
