import { analysisCounters, endCounters } from '../shared/domain/calls/usage/usage.ts';
import { STOPPED_LEADS } from '../shared/domain/leads/stopped-lead.ts';
import { auditLog, key, optional, secret, setting, table, type Use } from './uses.ts';

/** For routes that an API key admits (shared/runtime/rest/rest-admission.ts): the keys and their rate limits. */
export const restAdmission = {
  API_KEYS_TABLE: table('api-keys', ['BatchGetItem']),
  RATE_LIMITS_TABLE: table('rate-limits', ['UpdateItem']),
};

/** Organization attributes in the updates that hold or settle credit: not its name, limits or secrets. */
export const creditAttributes = ['org_id', 'available', 'held', 'holds_unentered'];
/** For the function that dials: it moves credit, and checks that the organization may still call the country. */
export const creditOfDials: Use = {
  kind: 'table',
  table: 'organizations',
  actions: ['GetItem', 'UpdateItem', 'ConditionCheckItem'],
  updatable: creditAttributes,
  checkable: '*#countries',
};

export const voicePlatform = {
  VOICE_API_URL: setting('voiceApiUrl'),
  VOICE_TIMEOUT_MS: setting('voiceTimeoutMs'),
  VOICE_SECRET_ID: secret('voice'),
};

/** The accounts servers, which CRM-B and the help desk share. */
export const accountsServers = {
  ZOHO_ACCOUNTS_URL: optional('zohoAccountsUrl'),
  ZOHO_ACCOUNTS_TIMEOUT_MS: setting('zohoAccountsTimeoutMs'),
};
/** For functions that obtain tokens of a grant. */
const grants = {
  ...accountsServers,
  OAUTH_TOKENS_KEY_ID: key('oauth-tokens', 'Encrypt', 'Decrypt'),
};
/** For functions that call CRM-B's API. The tokens are stored on the connection. */
export const crmB = {
  ...grants,
  CRM_B_OAUTH_SECRET_ID: secret('crm-b-oauth'),
  CRM_B_TIMEOUT_MS: setting('crmBTimeoutMs'),
};
/** For functions that call the help desk's API. */
export const helpDesk = {
  ...grants,
  HELP_DESK_OAUTH_SECRET_ID: secret('help-desk-oauth'),
  HELP_DESK_API_URL: optional('helpDeskApiUrl'),
  HELP_DESK_TIMEOUT_MS: setting('helpDeskTimeoutMs'),
};

/**
 * Returns the uses of functions that query the do-not-call list. It stores erased persons' numbers as hashes under the
 * key.
 */
export const doNotCall = (...actions: string[]): Record<'DO_NOT_CALL_TABLE' | 'DO_NOT_CALL_KEY_ID', Use> => ({
  DO_NOT_CALL_TABLE: table('do-not-call', actions),
  DO_NOT_CALL_KEY_ID: secret('do-not-call-key'),
});

/** For functions that place calls: the default retention of calls, their files and Activity. */
export const retention = { RETENTION: optional('retention') };

const endAttributes = ['org_id', 'day', 'committed', ...endCounters];
/** For functions that end calls. */
export const countedEnds = {
  USAGE_TABLE: table('usage', ['UpdateItem'], undefined, endAttributes),
};
/** For the function that ends calls and watches organizations' spend. */
export const watchedSpend = {
  USAGE_TABLE: table('usage', ['Query', 'UpdateItem'], undefined, endAttributes),
};
/** For the function that dials calls and counts their maximum cost against the daily limits. */
export const countedDials = {
  USAGE_TABLE: table('usage', ['GetItem', 'UpdateItem'], undefined, endAttributes),
  DAILY_SPEND: optional('dailySpend'),
};
/** For the function that dials calls: it moves their day claims, checks the claims of erased calls and reads stops. */
export const claimsOfDials: Use = {
  kind: 'table',
  table: 'claims',
  actions: ['PutItem', 'DeleteItem', 'GetItem', 'ConditionCheckItem'],
  gettable: [STOPPED_LEADS],
  checkable: '*#erased#*',
};
/** For the function that decides lead events: it takes claims, and checks that no person has canceled a call since. */
export const claimsOfEvents: Use = {
  kind: 'table',
  table: 'claims',
  actions: ['BatchGetItem', 'GetItem', 'PutItem', 'DeleteItem', 'ConditionCheckItem'],
  checkable: 'canceled#*',
};
/**
 * Returns the use of functions that add entries about calls to Activity, and mark the entries that the new ones
 * supersede.
 */
export const entriesOfCalls = (...more: string[]): Use =>
  table('activity', ['PutItem', 'UpdateItem', ...more], undefined, ['connection_id', 'event_id', 'superseded_by']);
/** For functions that analyze calls. */
export const countedAnalyses = {
  USAGE_TABLE: table('usage', ['UpdateItem'], undefined, ['org_id', 'day', ...analysisCounters]),
};

/** The language model and the time limit of one analysis. */
export const model = {
  MODEL_ID: { kind: 'model' },
  MODEL_TIMEOUT_MS: setting('modelTimeoutMs'),
} as const;

/** Call attributes in the update that stores an analysis. */
export const analysisAttributes = [
  'call_id',
  'analysis',
  'analysis_after',
  'analyzed_at',
  'analysis_callback',
  'unfinished',
  'progress_at',
  'do_not_call_at',
  'erased_at',
];

/** Connection attributes in the updates of a token refresh. */
export const accessAttributes = ['grant', 'access', 'refresh_lease', 'refreshes', 'reconnect_needed', 'catch_up_from'];

/** Further connection attributes in the updates of a consent. */
export const consentAttributes = ['pending_consent', 'known_organizations', 'organization_since'];

/** Connection attributes in the updates that arm a watch channel. */
export const channelAttributes = ['token_hash', 'pending_token_hashes', 'former_token', 'channel', 'channel_check'];
/** Returns the uses of functions that maintain all watch channels. @param more attributes in their updates */
export const watchChannels = (...more: string[]) => ({
  ...crmB,
  CONNECTIONS_TABLE: table('connections', ['GetItem', 'UpdateItem'], { 'by-type': ['Query'] }, [
    'connection_id',
    'silent_since',
    'catch_up_to',
    'crm_breaker',
    ...channelAttributes,
    ...accessAttributes,
    ...more,
  ]),
  PUBLIC_URL: setting('publicUrl'),
});

/** For the routes that the browser returns to after a consent. They check the API domain of the tokens. */
export const oauthCallback = {
  CRM_B_API_URL: optional('crmBApiUrl'),
  OAUTH_STATES_TABLE: table('oauth-states', ['UpdateItem']),
  AUDIT_TABLE: auditLog,
  DASHBOARD_URL: setting('dashboardUrl'),
  PUBLIC_URL: setting('publicUrl'),
};
