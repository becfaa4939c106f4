import { doNotCall } from '../common-uses.ts';
import { type FunctionRow, key, queueUrl, setting, table } from '../uses.ts';
import { audited, membership, rowsIn } from './row.ts';

const row = rowsIn('leads');

/** The functions about leads. */
export const leadsFunctions = {
  'list-lead-events': row(
    'list-lead-events',
    {
      ...membership,
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', ['BatchGetItem'], { 'by-time': ['Query'] }),
      CALLS_TABLE: table('calls', ['BatchGetItem']),
    },
    'The page of the leads stays empty, with an error. Leads are still called.',
  ),
  'explain-lead': row(
    'explain-lead',
    // Read-only: it does not even renew an access token.
    {
      ...membership,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CONNECTIONS_TABLE: table('connections', ['GetItem'], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', ['GetItem', 'BatchGetItem'], { 'by-phone': ['Query'], 'by-lead': ['Query'] }),
      CALLS_TABLE: table('calls', ['BatchGetItem'], { 'by-phone': ['Query'] }),
      CLAIMS_TABLE: table('claims', ['BatchGetItem', 'GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      ...doNotCall('GetItem', 'BatchGetItem'),
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
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
    },
    'Leads that credit or the CRM had stopped are not tried again, or only some of them; a repeat queues the others.',
  ),
} satisfies Record<string, FunctionRow>;
