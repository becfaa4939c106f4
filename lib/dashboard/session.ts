import { type FunctionRow, setting, table, userPool } from '../uses.ts';
import { audited, counted, poolClient, rowsIn } from './row.ts';

const row = rowsIn('session');

const ownPages = { DASHBOARD_URL: setting('dashboardUrl') };

/** The functions that begin and end sessions. */
export const sessionFunctions = {
  'sign-in': row(
    'sign-in',
    {
      ...counted,
      ...poolClient,
      ...ownPages,
      USER_POOL_ID: userPool('AdminInitiateAuth', 'AdminRespondToAuthChallenge'),
    },
    'The sign-in fails. Existing sessions continue.',
  ),
  'refresh-session': row(
    'refresh-session',
    { ...poolClient, ...ownPages, USER_POOL_ID: userPool('AdminInitiateAuth') },
    'Sessions end after 10 minutes, or when a page is loaded again.',
  ),
  'sign-out': row(
    'sign-out',
    {
      ...poolClient,
      ...ownPages,
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'UpdateItem'], undefined, ['user_id', 'org_id', 'sessions_from']),
      USER_POOL_ID: userPool('AdminInitiateAuth'),
    },
    'A session continues until the cookie is removed, for 7 days at most.',
  ),
  'request-password-reset': row(
    'request-password-reset',
    { ...counted, ...poolClient, ...ownPages },
    'People who forgot their password get no code.',
  ),
  'reset-password': row(
    'reset-password',
    { ...counted, ...poolClient, ...ownPages, USER_POOL_ID: userPool('AdminUserGlobalSignOut') },
    'People who forgot their password cannot choose another one.',
  ),
} satisfies Record<string, FunctionRow>;
