import { setting, table, userPool } from '../uses.ts';
import { audited, counted, poolClient, rowsIn } from './row.ts';

const ownPages = { DASHBOARD_URL: setting('dashboardUrl') };

/** The functions that begin and end sessions. */
export const sessionFunctions = rowsIn('session', {
  'sign-in': {
    uses: {
      ...counted,
      ...poolClient,
      ...ownPages,
      USER_POOL_ID: userPool('AdminInitiateAuth', 'AdminRespondToAuthChallenge'),
    },
    ifItFails: 'The sign-in fails. Existing sessions continue.',
  },
  'refresh-session': {
    uses: { ...poolClient, ...ownPages, USER_POOL_ID: userPool('AdminInitiateAuth') },
    ifItFails: 'Sessions end after 10 minutes, or when a page is loaded again.',
  },
  'sign-out': {
    uses: {
      ...poolClient,
      ...ownPages,
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'UpdateItem'], undefined, ['user_id', 'org_id', 'sessions_from']),
      USER_POOL_ID: userPool('AdminInitiateAuth'),
    },
    ifItFails: 'A session continues until the cookie is removed, for 7 days at most.',
  },
  'request-password-reset': {
    uses: { ...counted, ...poolClient, ...ownPages },
    ifItFails: 'People who forgot their password get no code.',
  },
  'reset-password': {
    uses: { ...counted, ...poolClient, ...ownPages, USER_POOL_ID: userPool('AdminUserGlobalSignOut') },
    ifItFails: 'People who forgot their password cannot choose another one.',
  },
});
