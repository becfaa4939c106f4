import { doNotCall } from '../common-uses.ts';
import { type FunctionRow, key, optional, queueUrl, table } from '../uses.ts';
import { audited, membership, rowsIn } from './row.ts';

const row = rowsIn('organization');

/** The functions about an organization itself: its settings, keys, credit and do-not-call list. */
export const organizationFunctions = {
  'list-keys': row(
    'list-keys',
    {
      ...membership,
      API_KEYS_TABLE: table('api-keys', [], { 'by-org': ['Query'], 'by-id': ['Query'] }),
      RATE_LIMITS_TABLE: table('rate-limits', ['BatchGetItem']),
    },
    'The page of the API keys stays empty, with an error. The keys keep working.',
  ),
  'create-key': row(
    'create-key',
    {
      ...membership,
      ...audited,
      API_KEYS_TABLE: table('api-keys', ['PutItem']),
      RATE_LIMITS_TABLE: table('rate-limits', ['PutItem']),
    },
    'No API key can be created.',
  ),
  'revoke-key': row(
    'revoke-key',
    {
      ...membership,
      ...audited,
      API_KEYS_TABLE: table('api-keys', ['GetItem', 'UpdateItem'], { 'by-id': ['Query'] }, [
        'key_hash',
        'revoked_at',
        'last_used_at',
      ]),
      RATE_LIMITS_TABLE: table('rate-limits', ['GetItem', 'DeleteItem']),
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
    {
      ...membership,
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['Query']),
      CALLS_TABLE: table('calls', ['BatchGetItem']),
    },
    'The page of the credit shows no ledger. Calls are still charged.',
  ),
  'list-do-not-call': row(
    'list-do-not-call',
    {
      ...membership,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ...doNotCall('GetItem', 'Query'),
    },
    'The page of the do-not-call list stays empty, with an error. Its numbers are still not called.',
  ),
  'add-do-not-call': row(
    'add-do-not-call',
    {
      ...membership,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      ...doNotCall('BatchGetItem', 'PutItem'),
    },
    'Numbers cannot be added, or only some of an import; a repeat adds the others.',
  ),
  'remove-do-not-call': row(
    'remove-do-not-call',
    { ...membership, ...audited, ...doNotCall('DeleteItem') },
    'Numbers stay on the do-not-call list.',
  ),
} satisfies Record<string, FunctionRow>;
