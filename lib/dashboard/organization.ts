import { doNotCall } from '../common-uses.ts';
import { key, optional, queueUrl, table } from '../uses.ts';
import { audited, rowsIn } from './row.ts';

/** The functions about an organization itself: its settings, keys, credit and do-not-call list. */
export const organizationFunctions = rowsIn('organization', {
  'list-keys': {
    uses: {
      API_KEYS_TABLE: table('api-keys', [], { 'by-org': ['Query'], 'by-id': ['Query'] }),
      RATE_LIMITS_TABLE: table('rate-limits', ['BatchGetItem']),
    },
    ifItFails: 'The page of the API keys stays empty, with an error. The keys keep working.',
  },
  'create-key': {
    uses: {
      ...audited,
      API_KEYS_TABLE: table('api-keys', ['PutItem']),
      RATE_LIMITS_TABLE: table('rate-limits', ['PutItem']),
    },
    ifItFails: 'No API key can be created.',
  },
  'revoke-key': {
    uses: {
      ...audited,
      API_KEYS_TABLE: table('api-keys', ['GetItem', 'UpdateItem'], { 'by-id': ['Query'] }, [
        'key_hash',
        'revoked_at',
        'last_used_at',
      ]),
      RATE_LIMITS_TABLE: table('rate-limits', ['GetItem', 'DeleteItem']),
    },
    ifItFails: 'API keys stay valid. An operator can revoke them (`key revoke`).',
  },
  'show-organization': {
    uses: { ORGANIZATIONS_TABLE: table('organizations', ['GetItem']), MAIL_FROM: optional('mailFrom') },
    ifItFails: 'The page of the organization stays empty, with an error.',
  },
  'update-organization': {
    uses: {
      ...audited,
      // Excludes credit, rate and suspension.
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, [
        'org_id',
        'name',
        'default_region',
        // A former region stays on the list.
        'countries',
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
    ifItFails: 'The settings of organizations stay as they are. Operators can change them (`org update`).',
  },
  'reveal-callback-secret': {
    uses: {
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLBACK_SECRETS_KEY_ID: key('callback-secrets', 'Decrypt'),
    },
    ifItFails: 'The callback secret cannot be read. Callbacks are still signed.',
  },
  'rotate-callback-secret': {
    uses: {
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, ['org_id', 'callback_secrets']),
      CALLBACK_SECRETS_KEY_ID: key('callback-secrets', 'Encrypt'),
    },
    ifItFails: 'The callback secret cannot be replaced. Callbacks are still signed.',
  },
  'list-credit-entries': {
    uses: {
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['Query']),
      CALLS_TABLE: table('calls', ['BatchGetItem'], { 'by-org': ['Query'] }),
    },
    ifItFails: 'The page of the credit shows no ledger. Calls are still charged.',
  },
  'list-do-not-call': {
    uses: {
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ...doNotCall('GetItem', 'Query'),
    },
    ifItFails: 'The page of the do-not-call list stays empty, with an error. Its numbers are still not called.',
  },
  'add-do-not-call': {
    uses: {
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ...doNotCall('BatchGetItem', 'PutItem'),
    },
    ifItFails: 'Numbers cannot be added, or only some of an import; a repeat adds the others.',
  },
  'remove-do-not-call': {
    uses: { ...audited, ...doNotCall('DeleteItem') },
    ifItFails: 'Numbers stay on the do-not-call list.',
  },
});
