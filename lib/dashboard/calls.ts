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
import { files, queueUrl, table } from '../uses.ts';
import { audited, counted, rowsIn } from './row.ts';

/** The functions about calls and their follow-ups. */
export const callsFunctions = rowsIn('calls', {
  'show-overview': {
    uses: {
      USAGE_TABLE: table('usage', ['GetItem', 'Query']),
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLS_TABLE: table('calls', [], { 'by-org': ['Query'], waiting: ['Query'], unfinished: ['Query'] }),
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
      ACTIVITY_TABLE: table('activity', [], { 'by-time': ['Query'] }),
      ASSISTANTS_TABLE: table('assistants', [], { 'by-org': ['Query'] }),
      API_KEYS_TABLE: table('api-keys', [], { 'by-org': ['Query'] }),
    },
    ifItFails: 'The overview and the bell stay empty, with an error. Calls continue.',
  },
  'list-calls': {
    uses: {
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
    ifItFails: 'The page of the calls stays empty, with an error. Calls continue.',
  },
  'show-call': {
    uses: {
      CALLS_TABLE: table('calls', ['GetItem']),
      CALLBACKS_TABLE: table('callbacks', ['Query']),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['Query']),
      ...doNotCall('GetItem'),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
    },
    ifItFails: 'The page of a call stays empty, with an error. The call continues.',
  },
  'link-recording': {
    uses: {
      CALLS_TABLE: table('calls', ['GetItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'recordings/'),
    },
    ifItFails: 'Recordings cannot be played in the dashboard. Links in CRM-B keep working.',
  },
  'place-test-call': {
    uses: {
      ...counted,
      ...audited,
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, creditAttributes),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CALLS_TABLE: table('calls', ['GetItem', 'PutItem']),
      ...doNotCall('GetItem'),
      ...retention,
    },
    ifItFails: 'No test call is placed and no credit held. Calls of clients and leads continue.',
  },
  'stop-call': {
    uses: {
      ...audited,
      ...countedEnds,
      ...voicePlatform,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      ORGANIZATIONS_TABLE: table('organizations', ['UpdateItem'], undefined, creditAttributes),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      SLOTS_TABLE: table('slots', ['UpdateItem'], undefined, ['scope', 'live', 'moves']),
      CLAIMS_TABLE: table('claims', ['DeleteItem', 'PutItem']),
    },
    // Release 0.11.0 has the right, although no cancelation of a person writes to Activity.
    formerUses: [table('activity', ['PutItem'])],
    ifItFails: 'Calls cannot be stopped by people. An operator can (`call cancel`, `call hangup`).',
    timeoutSeconds: 29,
  },
  'repeat-analysis': {
    uses: {
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
    ifItFails: 'Calls cannot be analyzed again. The earlier analysis stays.',
    timeoutSeconds: 29,
    isCostly: true,
  },
  'resend-callback': {
    uses: {
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
    ifItFails: 'Callbacks cannot be sent again by people. Those that are due are still sent.',
  },
});
