import { CALLBACK_WORKERS } from '../shared/domain/after-call/callbacks/callback-hosts.ts';
import {
  accessAttributes,
  accountsServers,
  claimsOfDials,
  claimsOfEvents,
  countedAnalyses,
  countedDials,
  countedEnds,
  creditAttributes,
  creditOfDials,
  crmB,
  doNotCall,
  entriesOfCalls,
  helpDesk,
  model,
  retention,
  voicePlatform,
  watchChannels,
  watchedSpend,
} from './common-uses.ts';
import { dashboardFunctions } from './dashboard/functions.ts';
import { httpFunctions } from './http-functions.ts';
import {
  auditLog,
  connectionUse,
  type FunctionRow,
  files,
  key,
  mailFrom,
  queueUrl,
  secret,
  setting,
  table,
  worker,
} from './uses.ts';

/**
 * The list of all functions, from which the infrastructure is built; tests and docs/architecture.md are checked against
 * it.
 */
const functions = {
  ...httpFunctions,
  'process-lead': {
    entry: 'consumers/process-lead',
    trigger: worker('lead-events', { batchSize: 1, maxConcurrency: 7 }),
    uses: {
      ...countedEnds,
      ...crmB,
      CONNECTIONS_TABLE: connectionUse('crm_breaker', 'catch_up_to', ...accessAttributes),
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, creditAttributes),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      CALLS_TABLE: table('calls', ['GetItem', 'PutItem', 'UpdateItem']),
      SLOTS_TABLE: table('slots', ['UpdateItem']),
      CLAIMS_TABLE: claimsOfEvents,
      ...doNotCall('GetItem'),
      ...retention,
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      ACTIVITY_TABLE: entriesOfCalls('GetItem'),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
      DIAL_QUEUE_URL: queueUrl('dial'),
    },
    ifItFails:
      'Leads wait in their queue and are called late. After 5 failures a lead is in the dead-letter queue until redriven.',
  },
  'publish-call-events': {
    entry: 'streams/publish-call-events',
    trigger: { kind: 'stream', table: 'calls' },
    // PutItem: for the tombstones of removed calls.
    uses: { CALLS_BUS_NAME: { kind: 'bus' }, CALLS_TABLE: table('calls', ['PutItem']) },
    ifItFails:
      'Changes wait in the stream. Failed ones go to the on-failure queue, and recover-calls repeats their work.',
  },
  'schedule-release': {
    entry: 'consumers/schedule-release',
    trigger: worker('releases', { batchSize: 1, maxConcurrency: 5 }),
    uses: {
      CALLS_TABLE: table('calls', ['GetItem']),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
      RELEASES_QUEUE_ARN: { kind: 'queueArn', queue: 'releases' },
      RELEASE_SCHEDULES_GROUP: { kind: 'schedulesGroup', of: 'releases' },
      RELEASE_SCHEDULES_ROLE_ARN: { kind: 'schedulesRole', of: 'releases' },
    },
    ifItFails: 'recover-calls releases scheduled calls, some minutes late.',
  },
  'report-switch-off': {
    entry: 'streams/report-switch-off',
    trigger: { kind: 'stream', table: 'connections' },
    uses: { SWITCH_OFFS_QUEUE_URL: queueUrl('switch-offs') },
    ifItFails:
      'Calls of a switched-off connection stay until their dial or their scheduled time, and are canceled then.',
  },
  'cancel-calls': {
    entry: 'consumers/cancel-calls',
    trigger: worker('switch-offs', { batchSize: 1, maxConcurrency: 2 }),
    uses: {
      ...countedEnds,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      ORGANIZATIONS_TABLE: table('organizations', ['UpdateItem'], undefined, creditAttributes),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem'], { unfinished: ['Query'] }),
      SLOTS_TABLE: table('slots', ['UpdateItem']),
      CLAIMS_TABLE: table('claims', ['DeleteItem']),
      ACTIVITY_TABLE: entriesOfCalls(),
      SWITCH_OFFS_QUEUE_URL: queueUrl('switch-offs'),
      DIAL_QUEUE_URL: queueUrl('dial'),
    },
    ifItFails:
      'Calls of a switched-off connection stay until their dial or their scheduled time, and are canceled then.',
  },
  'dial-call': {
    entry: 'consumers/dial-call',
    trigger: worker('dial', { batchSize: 1, maxConcurrency: 10 }),
    uses: {
      ...countedDials,
      ...voicePlatform,
      ...crmB,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      CONNECTIONS_TABLE: connectionUse('crm_breaker', ...accessAttributes),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      ORGANIZATIONS_TABLE: creditOfDials,
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      SLOTS_TABLE: table('slots', ['GetItem', 'UpdateItem']),
      CLAIMS_TABLE: claimsOfDials,
      ACTIVITY_TABLE: entriesOfCalls(),
      ...doNotCall('GetItem'),
      CALL_FILES_BUCKET: files(['GetObject'], 'knowledge/'),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
      DIAL_QUEUE_URL: queueUrl('dial'),
      SLOTS_QUEUE_URL: queueUrl('slots'),
      VOICE_WEBHOOK_KEY_ID: secret('voice-webhook-key'),
      VOICE_SLOTS: setting('voiceSlots'),
      VOICE_DIALS_PER_SECOND: setting('voiceDialsPerSecond'),
      VOICE_NUMBER_DIALS_PER_SECOND: setting('voiceNumberDialsPerSecond'),
      PUBLIC_URL: setting('publicUrl'),
    },
    ifItFails:
      'Queued calls wait. Every 5 minutes recover-calls gives back their slots; at dial_by they fail as expired.',
  },
  'apply-voice-event': {
    entry: 'consumers/apply-voice-event',
    trigger: worker('voice-events', { batchSize: 10, maxConcurrency: 10 }),
    uses: {
      ...countedEnds,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem', 'UpdateItem'], undefined, creditAttributes),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem']),
      SLOTS_TABLE: table('slots', ['GetItem', 'UpdateItem']),
      CALL_FILES_BUCKET: files(['PutObject', 'PutObjectTagging', 'DeleteObject'], 'transcripts/'),
      REPORTED_TRANSCRIPTS_BUCKET: files(['DeleteObject', 'PutObjectTagging'], 'reported-transcripts/'),
      DIAL_QUEUE_URL: queueUrl('dial'),
      SLOTS_QUEUE_URL: queueUrl('slots'),
    },
    ifItFails: 'Calls keep their status, and their credit stays held. recover-calls reads their end from the platform.',
  },
  'hand-over-slots': {
    entry: 'consumers/hand-over-slots',
    trigger: worker('slots', { batchSize: 10, maxConcurrency: 2 }),
    uses: {
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem'], { waiting: ['Query'], unfinished: ['Query'] }),
      ORGANIZATIONS_TABLE: table('organizations', ['BatchGetItem']),
      SLOTS_TABLE: table('slots', ['GetItem', 'UpdateItem'], { waiting: ['Query'] }),
      DIAL_QUEUE_URL: queueUrl('dial'),
      SLOTS_QUEUE_URL: queueUrl('slots'),
      VOICE_SLOTS: setting('voiceSlots'),
    },
    ifItFails: 'Calls wait for a slot. recover-calls hands over some of the free slots every 5 minutes.',
  },
  'finish-call': {
    entry: 'consumers/finish-call',
    trigger: worker('finish', { batchSize: 1, maxConcurrency: 10 }),
    uses: {
      ...countedAnalyses,
      ...voicePlatform,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      ...model,
      CONNECTIONS_TABLE: table('connections', ['GetItem']),
      ASSISTANTS_TABLE: table('assistants', ['GetItem']),
      ...doNotCall('GetItem', 'PutItem'),
      RECORDINGS_BUCKET: files(['PutObject', 'PutObjectTagging', 'AbortMultipartUpload'], 'recordings/'),
      TRANSCRIPTS_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
      FINISH_QUEUE_URL: queueUrl('finish'),
    },
    memoryMb: 512,
    ifItFails:
      'Ended calls lack recording and analysis. recover-calls retries for an hour; then they finish without them.',
  },
  'sync-crm-b': {
    entry: 'consumers/sync-crm-b',
    trigger: worker('crm-b-sync', { batchSize: 1, maxConcurrency: 12 }),
    uses: {
      ...crmB,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      CONNECTIONS_TABLE: connectionUse(...accessAttributes),
      RECEIVERS_TABLE: table('receivers', ['GetItem', 'PutItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
      CRM_B_SYNC_QUEUE_URL: queueUrl('crm-b-sync'),
      RECORDING_LINK_KEY_ID: secret('recording-link-key'),
      PUBLIC_URL: setting('publicUrl'),
    },
    ifItFails: 'Call logs and notes reach CRM-B late. recover-calls retries for three days after the call.',
  },
  'create-ticket': {
    entry: 'consumers/create-ticket',
    trigger: worker('tickets', { batchSize: 1, maxConcurrency: 12 }),
    uses: {
      ...helpDesk,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      CLAIMS_TABLE: table('claims', ['BatchGetItem', 'GetItem', 'PutItem']),
      CONNECTIONS_TABLE: connectionUse('settings', ...accessAttributes),
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      RECEIVERS_TABLE: table('receivers', ['GetItem', 'PutItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/', 'recordings/'),
      TICKETS_QUEUE_URL: queueUrl('tickets'),
      TICKETS_QUEUE_ARN: { kind: 'queueArn', queue: 'tickets' },
      TICKET_SCHEDULES_GROUP: { kind: 'schedulesGroup', of: 'tickets' },
      TICKET_SCHEDULES_ROLE_ARN: { kind: 'schedulesRole', of: 'tickets' },
    },
    memoryMb: 512,
    ifItFails: 'Tickets are created late. recover-calls retries for three days after the call.',
  },
  'notify-callback': {
    entry: 'consumers/notify-callback',
    trigger: worker('callbacks', { batchSize: 1, maxConcurrency: CALLBACK_WORKERS }),
    uses: {
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem']),
      CALLBACKS_TABLE: table('callbacks', ['PutItem', 'Query', 'UpdateItem']),
      RECEIVERS_TABLE: table('receivers', ['GetItem', 'PutItem']),
      ORGANIZATIONS_TABLE: table('organizations', ['GetItem']),
      CALLBACKS_QUEUE_URL: queueUrl('callbacks'),
      CALLBACKS_QUEUE_ARN: { kind: 'queueArn', queue: 'callbacks' },
      CALLBACK_SCHEDULES_GROUP: { kind: 'schedulesGroup', of: 'callbacks' },
      CALLBACK_SCHEDULES_ROLE_ARN: { kind: 'schedulesRole', of: 'callbacks' },
      CALLBACK_SECRETS_KEY_ID: key('callback-secrets', 'Decrypt'),
      ALLOW_LOOPBACK_CALLBACKS: setting('allowLoopbackCallbacks'),
    },
    ifItFails: 'Clients are notified late. recover-calls sends overdue notifications again.',
  },
  'sunday-sweep': {
    entry: 'schedules/sunday-sweep',
    // 09:00 IST (docs/crm-b.md, "The Sunday sweep").
    trigger: { kind: 'schedule', weekly: { weekDay: 'SUN', hour: 3, minute: 30 } },
    uses: {
      ...crmB,
      CONNECTIONS_TABLE: table('connections', ['GetItem', 'UpdateItem'], { 'by-type': ['Query'] }, [
        'connection_id',
        'missed_sweep',
        ...accessAttributes,
      ]),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
    },
    timeoutSeconds: 840,
    ifItFails:
      'Leads of the Sunday sweep are not called. Lambda retries twice within minutes; then use `schedule run`.',
  },
  'recover-calls': {
    entry: 'schedules/recover-calls',
    trigger: { kind: 'schedule', everyMinutes: 5 },
    uses: {
      ...watchedSpend,
      ...voicePlatform,
      CALLS_TABLE: table('calls', ['GetItem', 'UpdateItem'], { unfinished: ['Query'], waiting: ['Query'] }),
      CALLBACKS_TABLE: table('callbacks', ['PutItem', 'Query', 'UpdateItem']),
      CLAIMS_TABLE: table('claims', ['PutItem', 'DeleteItem']),
      ...doNotCall('GetItem'),
      ORGANIZATIONS_TABLE: table(
        'organizations',
        ['GetItem', 'BatchGetItem', 'UpdateItem'],
        undefined,
        creditAttributes,
      ),
      CREDIT_LEDGER_TABLE: table('credit-ledger', ['PutItem', 'Query']),
      SLOTS_TABLE: table('slots', ['GetItem', 'BatchGetItem', 'UpdateItem'], { waiting: ['Query'] }),
      ACTIVITY_TABLE: entriesOfCalls(),
      CALL_FILES_BUCKET: files(['PutObject', 'PutObjectTagging', 'DeleteObject'], 'transcripts/'),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
      DIAL_QUEUE_URL: queueUrl('dial'),
      FINISH_QUEUE_URL: queueUrl('finish'),
      CALLBACKS_QUEUE_URL: queueUrl('callbacks'),
      CRM_B_SYNC_QUEUE_URL: queueUrl('crm-b-sync'),
      TICKETS_QUEUE_URL: queueUrl('tickets'),
      SLOTS_QUEUE_URL: queueUrl('slots'),
      VOICE_SLOTS: setting('voiceSlots'),
    },
    memoryMb: 1_024,
    timeoutSeconds: 240,
    ifItFails: 'Lost slots, releases and remote writes stay lost until a run succeeds.',
  },
  'renew-watch-channels': {
    entry: 'schedules/renew-watch-channels',
    trigger: { kind: 'schedule', everyMinutes: 360 },
    uses: watchChannels(),
    timeoutSeconds: 300,
    ifItFails: 'Channels expire after some days. check-watch-channels rearms them within 15 minutes.',
  },
  'check-watch-channels': {
    entry: 'schedules/check-watch-channels',
    trigger: { kind: 'schedule', everyMinutes: 15 },
    uses: { ...watchChannels('channel_visited_at', 'missed_sweep'), LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events') },
    // Less than the period, so that runs do not overlap.
    timeoutSeconds: 840,
    ifItFails: 'Dead and silent channels are not repaired. Their leads are called late, when a later run catches up.',
  },
  'check-connections': {
    entry: 'schedules/check-connections',
    trigger: { kind: 'schedule', everyMinutes: 60 },
    uses: {
      ...accountsServers,
      CONNECTIONS_TABLE: table('connections', ['GetItem', 'UpdateItem'], { 'by-type': ['Query'] }, [
        'connection_id',
        'last_delivery_at',
        'pending_consent',
        'silent_since',
      ]),
      AUDIT_TABLE: auditLog,
      OAUTH_TOKENS_KEY_ID: key('oauth-tokens', 'Decrypt'),
    },
    timeoutSeconds: 300,
    ifItFails:
      'People learn an hour later that CRM-A has stopped delivering. Tokens of consents that were never confirmed stay stored.',
  },
  'send-notices': {
    entry: 'schedules/send-notices',
    trigger: { kind: 'schedule', everyMinutes: 15 },
    uses: {
      ORGANIZATIONS_TABLE: table('organizations', ['BatchGetItem'], { watched: ['Query'] }),
      CONNECTIONS_TABLE: table('connections', [], { 'by-org': ['Query'] }),
      MEMBERS_TABLE: table('members', ['GetItem'], { 'by-org': ['Query'] }),
      NOTICES_TABLE: table('notices', ['GetItem', 'PutItem', 'Query']),
      MAIL_FROM: mailFrom,
      DASHBOARD_URL: setting('dashboardUrl'),
    },
    // Less than the period, so that runs do not overlap.
    timeoutSeconds: 840,
    ifItFails: 'No e-mails about low credit and broken connections are sent. The dashboard still shows them.',
  },
  ...dashboardFunctions,
} as const satisfies Record<string, FunctionRow>;

export type FunctionName = keyof typeof functions;

export const functionNames = Object.keys(functions) as FunctionName[];

/** Returns the function's row, typed with its optional members. */
export const functionRow = (name: FunctionName): FunctionRow => functions[name];

/** Lists the functions that a stage limits: Lambda throttles them on purpose. */
export const limitedFunctions = ({ costlyAtOnce }: { costlyAtOnce?: number | undefined }): FunctionName[] =>
  costlyAtOnce === undefined ? [] : functionNames.filter((name) => functionRow(name).isCostly);

/** Returns the memory in MB. The default is 256, because Lambda allots processor time by memory. */
export const memoryOf = (name: FunctionName): number => functionRow(name).memoryMb ?? 256;

/**
 * Returns whether a function has an alarm on its errors. Alarms cost money: routes share one, a failing stream falls
 * behind, and a failing schedule misses its heartbeat, and each of these has an alarm
 * (docs/decisions/0038-a-run-that-fails-is-no-heartbeat.md).
 */
export const hasErrorsAlarm = (name: FunctionName): boolean => functionRow(name).trigger.kind === 'queue';

/**
 * Returns whether the function may be started by messages that it sends itself. Deliveries by EventBridge and streams
 * begin a new chain (Lambda guide, "Recursive loop detection").
 */
export function sendsToOwnQueue(name: FunctionName): boolean {
  const { trigger, uses } = functionRow(name);
  return (
    trigger.kind === 'queue' &&
    Object.values(uses).some((use) => use.kind === 'queueUrl' && use.queue === trigger.queue)
  );
}
