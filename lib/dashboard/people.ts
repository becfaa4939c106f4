import { type FunctionRow, setting, table, userPool } from '../uses.ts';
import { audited, counted, membership, poolClient, rowsIn } from './row.ts';

const row = rowsIn('people');

/** The right to update the number of owners, but not the credit. */
const owners = (...more: string[]) => ({
  ORGANIZATIONS_TABLE: table('organizations', ['UpdateItem'], undefined, ['org_id', 'owners', ...more]),
});
const shownOrg = {
  ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
  STAGE_NAME: setting('name'),
};

/** The functions about the members of an organization and the audit log. */
export const peopleFunctions = {
  'show-me': row(
    'show-me',
    { ...shownOrg, MEMBERS_TABLE: table('members', ['GetItem'], { 'by-org': ['Query'] }) },
    'No page of the dashboard opens.',
  ),
  'update-me': row(
    'update-me',
    {
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
    'People cannot change their name and number.',
  ),
  'change-password': row(
    'change-password',
    { ...membership, ...counted, ...poolClient },
    'People cannot change their password.',
  ),
  'list-members': row(
    'list-members',
    { MEMBERS_TABLE: table('members', ['GetItem'], { 'by-org': ['Query'] }) },
    'The page of the members stays empty, with an error.',
  ),
  'invite-member': row(
    'invite-member',
    {
      ...owners('watched'),
      ...audited,
      ...counted,
      MEMBERS_TABLE: table('members', ['GetItem', 'PutItem']),
      USER_POOL_ID: userPool('AdminCreateUser', 'AdminGetUser'),
      SHOW_FIRST_PASSWORDS: setting('showFirstPasswords'),
    },
    'Invitations fail; a repeat continues where this one ended.',
  ),
  'change-role': row(
    'change-role',
    {
      ...owners('watched'),
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'UpdateItem'], undefined, ['user_id', 'org_id', 'role']),
    },
    'Roles stay as they are.',
  ),
  'remove-member': row(
    'remove-member',
    {
      ...owners(),
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'DeleteItem']),
      USER_POOL_ID: userPool('AdminDeleteUser'),
    },
    'Members stay. A member whose removal ended halfway no longer has rights.',
  ),
  'list-audit-entries': row(
    'list-audit-entries',
    { ...membership, AUDIT_TABLE: table('audit', ['Query']) },
    'The page of the audit log stays empty, with an error. Changes are still recorded.',
  ),
} satisfies Record<string, FunctionRow>;
