import { doNotCall } from '../common-uses.ts';
import { key, queueUrl, setting, table } from '../uses.ts';
import { audited, rowsIn } from './row.ts';

/** The functions about leads. */
export const leadsFunctions = rowsIn('leads', {
  'list-lead-events': {
    uses: {
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', ['BatchGetItem'], { 'by-time': ['Query'] }),
      CALLS_TABLE: table('calls', ['BatchGetItem']),
    },
    ifItFails: 'The page of the leads stays empty, with an error. Leads are still called.',
  },
  'explain-lead': {
    // Read-only: it does not even renew an access token.
    uses: {
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
    ifItFails: 'The page of the leads does not explain why a lead was not called. Its Activity is still listed.',
  },
  'retry-leads': {
    uses: {
      ...audited,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      ACTIVITY_TABLE: table('activity', ['Query'], { 'by-time': ['Query'] }),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
    },
    ifItFails:
      'Leads that credit or the CRM had stopped are not tried again, or only some of them; a repeat queues the others.',
  },
});
