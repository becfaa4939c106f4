import {
  accessAttributes,
  accountsServers,
  channelAttributes,
  consentAttributes,
  crmB,
  helpDesk,
} from '../common-uses.ts';
import { type FunctionRow, key, optional, queueUrl, secret, setting, table, type Use } from '../uses.ts';
import { audited, counted, membership, publicUrl, rowsIn } from './row.ts';

const row = rowsIn('connections');

/** A connection that the function reads, and the attributes that it changes. */
const connection = (...updatable: string[]): Record<string, Use> => ({
  CONNECTIONS_TABLE: table('connections', ['GetItem', 'UpdateItem'], undefined, ['connection_id', ...updatable]),
});

/** The functions that connect CRMs and help desks. */
export const connectionsFunctions = {
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
  'update-connection': row(
    'update-connection',
    {
      ...membership,
      ...audited,
      ...publicUrl,
      ...helpDesk,
      ...connection(
        'auto_call',
        'off_times',
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
    {
      timeoutSeconds: 29,
    },
  ),
  'disconnect-connection': row(
    'disconnect-connection',
    {
      ...membership,
      ...audited,
      ...publicUrl,
      ...crmB,
      ...connection(
        ...channelAttributes,
        ...accessAttributes,
        'pending_consent',
        'silent_since',
        'catch_up_to',
        'crm_breaker',
        'missed_sweep',
      ),
    },
    'Connections stay connected. A repeat continues where this one ended.',
    {
      timeoutSeconds: 29,
    },
  ),
  'replace-token': row(
    'replace-token',
    {
      ...membership,
      ...audited,
      ...publicUrl,
      ...crmB,
      ...connection('token_replaced_at', ...channelAttributes, ...accessAttributes),
    },
    'Webhook tokens stay valid. An operator can replace them (`connection rotate-token`).',
    {
      timeoutSeconds: 29,
    },
  ),
  'begin-consent': row(
    'begin-consent',
    {
      ...membership,
      ...audited,
      ...publicUrl,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      OAUTH_STATES_TABLE: table('oauth-states', ['PutItem']),
      CRM_B_OAUTH_SECRET_ID: secret('crm-b-oauth'),
      HELP_DESK_OAUTH_SECRET_ID: secret('help-desk-oauth'),
      HELP_DESK_SCOPES: setting('helpDeskScopes'),
      ZOHO_ACCOUNTS_URL: optional('zohoAccountsUrl'),
      DASHBOARD_URL: setting('dashboardUrl'),
    },
    'No consent can be begun. Existing connections keep working.',
  ),
  'confirm-consent': row(
    'confirm-consent',
    {
      ...membership,
      ...audited,
      ...publicUrl,
      ...crmB,
      ...helpDesk,
      ...connection('settings', ...accessAttributes, ...channelAttributes, ...consentAttributes),
    },
    'Consents stay pending, and end after an hour. An operator can confirm them (`connection confirm`).',
    {
      timeoutSeconds: 29,
    },
  ),
  'refuse-consent': row(
    'refuse-consent',
    {
      ...membership,
      ...audited,
      ...publicUrl,
      ...connection('pending_consent'),
      ...accountsServers,
      OAUTH_TOKENS_KEY_ID: key('oauth-tokens', 'Decrypt'),
    },
    'Pending consents are not revoked, and do not connect. They end after an hour.',
    {
      timeoutSeconds: 29,
    },
  ),
  'list-choices': row(
    'list-choices',
    {
      ...membership,
      ...crmB,
      ...helpDesk,
      ...connection(...accessAttributes),
      ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }),
    },
    'Owners, fields and departments are entered by their ids.',
    {
      timeoutSeconds: 29,
    },
  ),
  'send-test-event': row(
    'send-test-event',
    {
      ...membership,
      ...audited,
      ...counted,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
    },
    'No test event can be sent. Leads of the CRM are still called.',
  ),
} satisfies Record<string, FunctionRow>;
