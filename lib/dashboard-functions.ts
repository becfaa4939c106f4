import { definitionMembers } from '../shared/domain/organizations/assistant-definition.ts';
import { DASHBOARD_PATH } from '../shared/messages/dashboard/route.ts';
import { type DashboardRouteName, dashboardRoutes } from '../shared/messages/dashboard/routes.ts';
import {
  accessAttributes,
  analysisAttributes,
  channelAttributes,
  countedAnalyses,
  countedEnds,
  crmB,
  helpDesk,
  model,
  voicePlatform,
} from './common-uses.ts';
import {
  type FunctionRow,
  files,
  key,
  optional,
  queueUrl,
  secret,
  setting,
  table,
  type Use,
  userPool,
  userPoolClient,
} from './uses.ts';

/** Answers a request of the dashboard. The route and the right that it needs are those of its row. */
const answers = (name: DashboardRouteName): FunctionRow['trigger'] => {
  const { method, path, role } = dashboardRoutes[name];
  return {
    kind: 'http',
    routes: [`${method} ${DASHBOARD_PATH}${path}`],
    isForMembers: role !== 'none',
    isDashboard: true,
  };
};

const row = (
  name: DashboardRouteName,
  uses: Record<string, Use>,
  ifItFails: string,
  more: Pick<FunctionRow, 'timeoutSeconds'> = {},
): FunctionRow => ({
  entry: `dashboard/${name}`,
  trigger: answers(name),
  uses,
  ifItFails,
  ...more,
});

const membership = { MEMBERS_TABLE: table('members', ['GetItem']) };
const audited = { AUDIT_TABLE: table('audit', ['PutItem']) };
const guessed = { RATE_LIMITS_TABLE: table('rate-limits', ['UpdateItem']) };
const client = { USER_POOL_CLIENT_ID: userPoolClient };
const ownPages = { DASHBOARD_URL: setting('dashboardUrl') };
/** The counter of owners, without the credit. */
const owners = (...more: string[]) => ({
  ORGANIZATIONS_TABLE: table('organizations', ['UpdateItem'], undefined, ['org_id', 'owners', ...more]),
});
const knowledgeAttributes = ['assistant_id', 'org_id', 'knowledge_base'];
const shownOrg = {
  ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
  STAGE_NAME: setting('name'),
};

const publicUrl = { PUBLIC_URL: setting('publicUrl') };
/** A connection that the function reads, and the attributes of it that it changes. */
const connection = (...updatable: string[]): Record<string, Use> => ({
  CONNECTIONS_TABLE: table('connections', ['GetItem', 'UpdateItem'], undefined, ['connection_id', ...updatable]),
});

/** The functions behind the dashboard's pages, one a route. */
export const dashboardFunctions = {
  'sign-in': row(
    'sign-in',
    {
      ...guessed,
      ...client,
      ...ownPages,
      USER_POOL_ID: userPool('AdminInitiateAuth', 'AdminRespondToAuthChallenge'),
    },
    'The sign-in fails. Sessions that have begun go on.',
  ),
  'refresh-session': row(
    'refresh-session',
    { ...client, ...ownPages, USER_POOL_ID: userPool('AdminInitiateAuth') },
    'Sessions end after 10 minutes, or when a page is loaded again.',
  ),
  'sign-out': row(
    'sign-out',
    {
      ...client,
      ...ownPages,
      ...audited,
      MEMBERS_TABLE: table('members', ['GetItem', 'UpdateItem'], undefined, ['user_id', 'org_id', 'sessions_from']),
      USER_POOL_ID: userPool('AdminInitiateAuth'),
    },
    'A session goes on until the browser is told to forget it, for 7 days at most.',
  ),
  'request-password-reset': row(
    'request-password-reset',
    { ...guessed, ...client, ...ownPages },
    'People who forgot their password get no code.',
  ),
  'reset-password': row(
    'reset-password',
    { ...guessed, ...client, ...ownPages },
    'People who forgot their password cannot choose another one.',
  ),
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
    { ...membership, ...guessed, ...client },
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
      MEMBERS_TABLE: table('members', ['GetItem', 'PutItem']),
      USER_POOL_ID: userPool('AdminCreateUser', 'AdminGetUser'),
      SHOW_FIRST_PASSWORDS: setting('showFirstPasswords'),
    },
    'Invitations fail; a repeat goes on where this one ended.',
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
    'Members stay. A member whose removal ended halfway has no rights any more.',
  ),
  'list-audit-entries': row(
    'list-audit-entries',
    { ...membership, AUDIT_TABLE: table('audit', ['Query']) },
    'The page of the audit log stays empty, with an error. Changes are still recorded.',
  ),
  'show-overview': row(
    'show-overview',
    {
      ...membership,
      USAGE_TABLE: table('usage', ['Query']),
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLS_TABLE: table('calls', [], { 'by-org': ['Query'], waiting: ['Query'], unfinished: ['Query'] }),
      SLOTS_TABLE: table('slots', ['BatchGetItem']),
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', [], { 'by-time': ['Query'] }),
      ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }),
      API_KEYS_TABLE: table('api-keys', [], { 'by-org': ['Query'] }),
    },
    'The overview and the bell stay empty, with an error. Calls go on.',
  ),
  'list-calls': row(
    'list-calls',
    {
      ...membership,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLS_TABLE: table('calls', ['GetItem', 'BatchGetItem'], {
        'by-org': ['Query'],
        'by-phone': ['Query'],
        unfinished: ['Query'],
        waiting: ['Query'],
      }),
      CLAIMS_TABLE: table('claims', ['BatchGetItem']),
    },
    'The page of the calls stays empty, with an error. Calls go on.',
  ),
  'show-call': row(
    'show-call',
    {
      ...membership,
      CALLS_TABLE: table('calls', ['GetItem']),
      CALLBACKS_TABLE: table('callbacks', ['Query']),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['Query']),
      DO_NOT_CALL_TABLE: table('do-not-call', ['GetItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
    },
    'The page of a call stays empty, with an error. The call goes on.',
  ),
  'link-recording': row(
    'link-recording',
    {
      ...membership,
      CALLS_TABLE: table('calls', ['GetItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'recordings/'),
    },
    'Recordings cannot be played in the dashboard. Links in CRM-B keep working.',
  ),
  'place-test-call': row(
    'place-test-call',
    {
      ...membership,
      ...guessed,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CALLS_TABLE: table('calls', ['GetItem', 'PutItem']),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      DO_NOT_CALL_TABLE: table('do-not-call', ['GetItem']),
    },
    'No test call is placed and no credit held. Calls of clients and leads go on.',
  ),
  'list-assistants': row(
    'list-assistants',
    { ...membership, ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }) },
    'The page of the assistants stays empty, with an error. They go on calling.',
  ),
  'create-assistant': row(
    'create-assistant',
    { ...membership, ...audited, ASSISTANTS_TABLE: table('assistants', ['PutItem']) },
    'No assistant can be created.',
  ),
  'show-assistant': row(
    'show-assistant',
    {
      ...membership,
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
    },
    'The page of an assistant stays empty, with an error. It goes on calling.',
  ),
  'update-assistant': row(
    'update-assistant',
    {
      ...membership,
      ...audited,
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, [
        'assistant_id',
        'org_id',
        ...definitionMembers,
        'revision',
        'updated_at',
        'updated_by',
        'edits',
      ]),
    },
    'Assistants stay as they are.',
  ),
  'delete-assistant': row(
    'delete-assistant',
    {
      ...membership,
      ...audited,
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'DeleteItem']),
      CONNECTIONS_TABLE: table('connections', ['ConditionCheckItem']),
      CALL_FILES_BUCKET: files(['DeleteObject'], 'knowledge/'),
    },
    'Assistants stay, or texts of a deleted one stay in the bucket, where no call uses them.',
  ),
  'add-knowledge': {
    ...row(
      'add-knowledge',
      {
        ...membership,
        ...audited,
        ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, knowledgeAttributes),
        CALL_FILES_BUCKET: files(['PutObject'], 'knowledge/'),
      },
      'Nothing is added to the knowledge base.',
    ),
    children: { 'extract-text': 'children/extract-text' },
    // As upload-knowledge: one full vCPU, and room for the child process.
    memoryMb: 1_769,
  },
  'show-knowledge': row(
    'show-knowledge',
    {
      ...membership,
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'knowledge/'),
    },
    'The texts of knowledge bases cannot be read in the dashboard. Calls still use them.',
  ),
  'remove-knowledge': row(
    'remove-knowledge',
    {
      ...membership,
      ...audited,
      ASSISTANTS_TABLE: table('assistants', ['GetItem', 'UpdateItem'], undefined, knowledgeAttributes),
      CALL_FILES_BUCKET: files(['DeleteObject'], 'knowledge/'),
    },
    'Entries stay in the knowledge base, or a removed text stays in the bucket, where no call uses it.',
  ),
  'stop-call': row(
    'stop-call',
    {
      ...membership,
      ...audited,
      ...countedEnds,
      ...voicePlatform,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      ORGANIZATIONS_TABLE: table('organizations', ['UpdateItem'], undefined, ['org_id', 'available', 'held']),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      SLOTS_TABLE: table('slots', ['UpdateItem'], undefined, ['scope', 'live', 'moves']),
      CLAIMS_TABLE: table('claims', ['DeleteItem']),
      ACTIVITY_TABLE: table('activity', ['PutItem']),
    },
    'Calls cannot be stopped by people. An operator can (`call cancel`, `call hangup`).',
    { timeoutSeconds: 29 },
  ),
  'repeat-analysis': row(
    'repeat-analysis',
    {
      ...membership,
      ...audited,
      ...countedAnalyses,
      ...model,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem'], undefined, analysisAttributes),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      DO_NOT_CALL_TABLE: table('do-not-call', ['GetItem', 'PutItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
    },
    'Calls cannot be analyzed again. The earlier analysis stays.',
    { timeoutSeconds: 29 },
  ),
  'resend-callback': row(
    'resend-callback',
    {
      ...membership,
      ...audited,
      CALLBACKS_TABLE: table('callbacks', ['Query', 'UpdateItem'], undefined, [
        'call_id',
        'webhook_id',
        'state',
        'attempts',
        'asked',
        'next_attempt_at',
        'message_at',
        'put_off_since',
        'lease',
      ]),
      CALLBACKS_QUEUE_URL: queueUrl('callbacks'),
    },
    'Callbacks cannot be sent again by people. Those that are due are still sent.',
  ),
  'list-lead-events': row(
    'list-lead-events',
    {
      ...membership,
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', [], { 'by-time': ['Query'] }),
      CALLS_TABLE: table('calls', ['BatchGetItem']),
    },
    'The page of the leads stays empty, with an error. Leads are still called.',
  ),
  'explain-lead': row(
    'explain-lead',
    // It only reads: not even an access token is renewed.
    {
      ...membership,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CONNECTIONS_TABLE: table('connections', ['GetItem'], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', ['GetItem', 'BatchGetItem'], { 'by-phone': ['Query'], 'by-lead': ['Query'] }),
      CALLS_TABLE: table('calls', ['BatchGetItem'], { 'by-phone': ['Query'] }),
      CLAIMS_TABLE: table('claims', ['BatchGetItem', 'GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      DO_NOT_CALL_TABLE: table('do-not-call', ['GetItem', 'BatchGetItem']),
      OAUTH_TOKENS_KEY_ID: key('oauth-tokens', 'Decrypt'),
      CRM_B_TIMEOUT_MS: setting('crmBTimeoutMs'),
    },
    'The page of the leads does not explain why a lead was not called. Its Activity is still listed.',
  ),
  'retry-leads': row(
    'retry-leads',
    {
      ...membership,
      ...audited,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      ACTIVITY_TABLE: table('activity', ['Query'], { 'by-time': ['Query'] }),
      LEADS_QUEUE_URL: queueUrl('leads'),
    },
    'Leads that credit or the CRM had stopped are not tried again, or only some of them; a repeat queues the others.',
  ),
  'list-connections': row(
    'list-connections',
    { ...membership, ...publicUrl, CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }) },
    'The page of the connections stays empty, with an error. Leads are still called.',
  ),
  'create-connection': row(
    'create-connection',
    { ...membership, ...audited, ...publicUrl, CONNECTIONS_TABLE: table('connections', ['PutItem']) },
    'No CRM or help desk can be connected. Existing connections keep working.',
  ),
  'show-connection': row(
    'show-connection',
    {
      ...membership,
      ...publicUrl,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      ACTIVITY_TABLE: table('activity', ['GetItem'], { 'by-time': ['Query'] }),
    },
    'The page of a connection stays empty, with an error. Leads are still called.',
  ),
  'update-connection': {
    ...row(
      'update-connection',
      {
        ...membership,
        ...audited,
        ...publicUrl,
        ...helpDesk,
        ...connection(
          'auto_call',
          'assistant_id',
          'trigger_owner_user_id',
          'settings',
          'revision',
          'updated_at',
          'updated_by',
          ...accessAttributes,
        ),
        ASSISTANTS_TABLE: table('assistants', ['GetItem', 'ConditionCheckItem']),
      },
      'The settings of connections stay as they are. An operator can change them (`connection update`).',
    ),
    timeoutSeconds: 29,
  },
  'disconnect-connection': {
    ...row(
      'disconnect-connection',
      {
        ...membership,
        ...audited,
        ...publicUrl,
        ...crmB,
        ...connection(...channelAttributes, ...accessAttributes, 'silent_since', 'catch_up_to', 'crm_breaker'),
      },
      'Connections stay connected. A repeat goes on where this one ended.',
    ),
    timeoutSeconds: 29,
  },
  'replace-token': {
    ...row(
      'replace-token',
      { ...membership, ...audited, ...publicUrl, ...crmB, ...connection(...channelAttributes, ...accessAttributes) },
      'Webhook tokens stay valid. An operator can replace them (`connection rotate-token`).',
    ),
    timeoutSeconds: 29,
  },
  'begin-consent': row(
    'begin-consent',
    {
      ...membership,
      ...publicUrl,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      OAUTH_STATES_TABLE: table('oauth-states', ['PutItem']),
      CRM_B_OAUTH_SECRET_ID: secret('crm-b-oauth'),
      HELP_DESK_OAUTH_SECRET_ID: secret('help-desk-oauth'),
      HELP_DESK_SCOPES: setting('helpDeskScopes'),
      ZOHO_ACCOUNTS_URL: optional('zohoAccountsUrl'),
    },
    'No consent can be begun. Existing connections keep working.',
  ),
  'list-choices': {
    ...row(
      'list-choices',
      {
        ...membership,
        ...crmB,
        ...helpDesk,
        ...connection(...accessAttributes),
        ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }),
      },
      'Owners, fields and departments are entered by their ids.',
    ),
    timeoutSeconds: 29,
  },
  'send-test-event': row(
    'send-test-event',
    {
      ...membership,
      ...audited,
      ...guessed,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      LEADS_QUEUE_URL: queueUrl('leads'),
    },
    'No test event can be sent. Leads of the CRM are still called.',
  ),
  'list-keys': row(
    'list-keys',
    { ...membership, API_KEYS_TABLE: table('api-keys', [], { 'by-org': ['Query'], 'by-id': ['Query'] }) },
    'The page of the API keys stays empty, with an error. The keys go on working.',
  ),
  'create-key': row(
    'create-key',
    { ...membership, ...audited, API_KEYS_TABLE: table('api-keys', ['PutItem']) },
    'No API key can be created.',
  ),
  'revoke-key': row(
    'revoke-key',
    {
      ...membership,
      ...audited,
      API_KEYS_TABLE: table('api-keys', ['GetItem', 'UpdateItem'], { 'by-id': ['Query'] }, ['key_hash', 'revoked_at']),
    },
    'API keys stay valid. An operator can revoke them (`key revoke`).',
  ),
  'show-organization': row(
    'show-organization',
    { ...membership, ORGANIZATIONS_TABLE: table('organizations', ['GetItem']), MAIL_FROM: optional('mailFrom') },
    'The page of the organization stays empty, with an error.',
  ),
  'update-organization': row(
    'update-organization',
    {
      ...membership,
      ...audited,
      // Neither the credit nor the rate, and no suspension.
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, [
        'org_id',
        'name',
        'default_region',
        'platform_numbers',
        'requests_per_minute',
        'outbound_per_minute',
        'max_live_calls',
        'max_wait_minutes',
        'warn_below',
        'notices',
        'revision',
        'updated_at',
        'updated_by',
      ]),
      SLOTS_QUEUE_URL: queueUrl('slots'),
      MAIL_FROM: optional('mailFrom'),
    },
    'The settings of organizations stay as they are. Operators can change them (`org update`).',
  ),
  'reveal-callback-secret': row(
    'reveal-callback-secret',
    {
      ...membership,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLBACK_SECRETS_KEY_ID: key('callback-secrets', 'Decrypt'),
    },
    'The callback secret cannot be read. Callbacks are still signed.',
  ),
  'rotate-callback-secret': row(
    'rotate-callback-secret',
    {
      ...membership,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, ['org_id', 'callback_secrets']),
      CALLBACK_SECRETS_KEY_ID: key('callback-secrets', 'Encrypt'),
    },
    'The callback secret cannot be replaced. Callbacks are still signed.',
  ),
  'list-credit-entries': row(
    'list-credit-entries',
    { ...membership, CREDIT_LEDGER_TABLE: table('credit-ledger', ['Query']) },
    'The page of the credit shows no ledger. Calls are still charged.',
  ),
  'list-do-not-call': row(
    'list-do-not-call',
    { ...membership, DO_NOT_CALL_TABLE: table('do-not-call', ['Query']) },
    'The page of the do-not-call list stays empty, with an error. Its numbers are still not called.',
  ),
  'add-do-not-call': row(
    'add-do-not-call',
    {
      ...membership,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      DO_NOT_CALL_TABLE: table('do-not-call', ['BatchGetItem', 'PutItem']),
    },
    'Numbers cannot be added, or only some of an import; a repeat adds the others.',
  ),
  'remove-do-not-call': row(
    'remove-do-not-call',
    { ...membership, ...audited, DO_NOT_CALL_TABLE: table('do-not-call', ['DeleteItem']) },
    'Numbers stay on the do-not-call list.',
  ),
} satisfies Record<DashboardRouteName, FunctionRow>;
