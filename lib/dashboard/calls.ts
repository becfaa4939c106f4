import {
  analysisAttributes,
  countedAnalyses,
  countedEnds,
  creditAttributes,
  doNotCall,
  model,
  retention,
  voicePlatform,
} from '../common-uses.ts';
import { type FunctionRow, files, queueUrl, table } from '../uses.ts';
import { audited, counted, membership, rowsIn } from './row.ts';

const row = rowsIn('calls');

/** The functions about calls and their follow-ups. */
export const callsFunctions = {
  'show-overview': row(
    'show-overview',
    {
      ...membership,
      USAGE_TABLE: table('usage', ['GetItem', 'Query']),
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLS_TABLE: table('calls', [], { 'by-org': ['Query'], waiting: ['Query'], unfinished: ['Query'] }),
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', [], { 'by-time': ['Query'] }),
      ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }),
      API_KEYS_TABLE: table('api-keys', [], { 'by-org': ['Query'] }),
    },
    'The overview and the bell stay empty, with an error. Calls continue.',
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
      ACTIVITY_TABLE: table('activity', ['BatchGetItem'], { 'by-lead': ['Query'] }),
    },
    'The page of the calls stays empty, with an error. Calls continue.',
  ),
  'show-call': row(
    'show-call',
    {
      ...membership,
      CALLS_TABLE: table('calls', ['GetItem']),
      CALLBACKS_TABLE: table('callbacks', ['Query']),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['Query']),
      ...doNotCall('GetItem'),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
    },
    'The page of a call stays empty, with an error. The call continues.',
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
      ...counted,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, creditAttributes),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CALLS_TABLE: table('calls', ['GetItem', 'PutItem']),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      ...doNotCall('GetItem'),
      ...retention,
    },
    'No test call is placed and no credit held. Calls of clients and leads continue.',
  ),
  'stop-call': row(
    'stop-call',
    {
      ...membership,
      ...audited,
      ...countedEnds,
      ...voicePlatform,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      ORGANIZATIONS_TABLE: table('organizations', ['UpdateItem'], undefined, creditAttributes),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      SLOTS_TABLE: table('slots', ['UpdateItem'], undefined, ['scope', 'live', 'moves']),
      CLAIMS_TABLE: table('claims', ['DeleteItem', 'PutItem']),
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
      ...counted,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem'], undefined, analysisAttributes),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      ...doNotCall('GetItem', 'PutItem'),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
    },
    'Calls cannot be analyzed again. The earlier analysis stays.',
    { timeoutSeconds: 29, isCostly: true },
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
} satisfies Record<string, FunctionRow>;
