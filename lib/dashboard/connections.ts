import {
  accessAttributes,
  accountsServers,
  channelAttributes,
  consentAttributes,
  crmB,
  helpDesk,
} from '../common-uses.ts';
import { connectionUse, key, optional, queueUrl, secret, setting, table } from '../uses.ts';
import { audited, counted, publicUrl, rowsIn } from './row.ts';

/** The functions that connect CRMs and help desks. */
export const connectionsFunctions = rowsIn('connections', {
  'list-connections': {
    uses: { ...publicUrl, CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }) },
    ifItFails: 'The page of the connections stays empty, with an error. Leads are still called.',
  },
  'create-connection': {
    uses: { ...audited, ...publicUrl, CONNECTIONS_TABLE: table('connections', ['PutItem']) },
    ifItFails: 'No CRM or help desk can be connected. Existing connections keep working.',
  },
  'show-connection': {
    uses: {
      ...publicUrl,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      ACTIVITY_TABLE: table('activity', ['GetItem'], { 'by-time': ['Query'] }),
    },
    ifItFails: 'The page of a connection stays empty, with an error. Leads are still called.',
  },
  'update-connection': {
    uses: {
      ...audited,
      ...publicUrl,
      ...helpDesk,
      CONNECTIONS_TABLE: connectionUse(
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
    ifItFails: 'The settings of connections stay as they are. An operator can change them (`connection update`).',
    timeoutSeconds: 29,
  },
  'disconnect-connection': {
    uses: {
      ...audited,
      ...publicUrl,
      ...crmB,
      CONNECTIONS_TABLE: connectionUse(
        ...channelAttributes,
        ...accessAttributes,
        'pending_consent',
        'silent_since',
        'catch_up_to',
        'crm_breaker',
        'missed_sweep',
      ),
    },
    ifItFails: 'Connections stay connected. A repeat continues where this one ended.',
    timeoutSeconds: 29,
  },
  'replace-token': {
    uses: {
      ...audited,
      ...publicUrl,
      ...crmB,
      CONNECTIONS_TABLE: connectionUse('token_replaced_at', ...channelAttributes, ...accessAttributes),
    },
    ifItFails: 'Webhook tokens stay valid. An operator can replace them (`connection rotate-token`).',
    timeoutSeconds: 29,
  },
  'begin-consent': {
    uses: {
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
    ifItFails: 'No consent can be begun. Existing connections keep working.',
  },
  'confirm-consent': {
    uses: {
      ...audited,
      ...publicUrl,
      ...crmB,
      ...helpDesk,
      CONNECTIONS_TABLE: connectionUse('settings', ...accessAttributes, ...channelAttributes, ...consentAttributes),
    },
    ifItFails: 'Consents stay pending, and end after an hour. An operator can confirm them (`connection confirm`).',
    timeoutSeconds: 29,
  },
  'refuse-consent': {
    uses: {
      ...audited,
      ...publicUrl,
      CONNECTIONS_TABLE: connectionUse('pending_consent'),
      ...accountsServers,
      OAUTH_TOKENS_KEY_ID: key('oauth-tokens', 'Decrypt'),
    },
    ifItFails: 'Pending consents are not revoked, and do not connect. They end after an hour.',
    timeoutSeconds: 29,
  },
  'list-choices': {
    uses: {
      ...crmB,
      ...helpDesk,
      CONNECTIONS_TABLE: connectionUse(...accessAttributes),
      ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }),
    },
    ifItFails: 'Owners, fields and departments are entered by their ids.',
    timeoutSeconds: 29,
  },
  'send-test-event': {
    uses: {
      ...audited,
      ...counted,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
    },
    ifItFails: 'No test event can be sent. Leads of the CRM are still called.',
  },
});
