import type { FunctionName } from '../../../lib/functions.ts';

/** Rights that no suite uses, or that not every run uses. */
type Seldom = {
  /** The moment in which the functions use them. */
  when: string;
  /** The rights that each function needs at that moment, and no others. */
  rights: Readonly<Partial<Record<FunctionName, readonly string[]>>>;
};

const CRM_B_CLIENT = 'secretsmanager:GetSecretValue secret/crm-b-oauth';
const HELP_DESK_CLIENT = 'secretsmanager:GetSecretValue secret/help-desk-oauth';
const REPORTED_TRANSCRIPT = ['s3:GetObject files/reported-transcripts/*'];
const CREDIT = ['dynamodb:UpdateItem organizations', 'dynamodb:PutItem credit-ledger', 'dynamodb:UpdateItem slots'];

/** Moments that the suites cause seldom or never; unit tests cover their code. */
export const seldomUsed: readonly Seldom[] = [
  {
    when: 'the code of the former release still runs (`formerUses`)',
    rights: { 'stop-call': ['dynamodb:PutItem activity'] },
  },
  {
    when: 'an access token of the CRM or the help desk has expired',
    rights: {
      'dial-call': [CRM_B_CLIENT, 'kms:Encrypt key', 'dynamodb:UpdateItem connections'],
      'sunday-sweep': [CRM_B_CLIENT, 'kms:Encrypt key'],
      'renew-watch-channels': [CRM_B_CLIENT],
      'confirm-consent': [CRM_B_CLIENT, HELP_DESK_CLIENT, 'kms:Encrypt key'],
      'disconnect-connection': [CRM_B_CLIENT, 'kms:Encrypt key'],
      'replace-token': [CRM_B_CLIENT, 'kms:Encrypt key'],
      'update-connection': [HELP_DESK_CLIENT, 'kms:Encrypt key'],
    },
  },
  {
    when: 'a consent takes the place of one that waits for its confirmation, or of another organization',
    rights: { 'connect-crm-b': ['kms:Decrypt key'], 'connect-help-desk': ['kms:Decrypt key'] },
  },
  {
    when: 'the call that is canceled holds credit or a slot',
    rights: { 'cancel-calls': CREDIT, 'process-lead': CREDIT, 'stop-call': ['dynamodb:UpdateItem slots'] },
  },
  {
    when: 'the call that is canceled is the call of a lead, which another event or a person cancels',
    rights: {
      'process-lead': ['dynamodb:UpdateItem usage', 'dynamodb:DeleteItem claims'],
      'stop-call': ['dynamodb:DeleteItem claims', 'dynamodb:PutItem claims'],
    },
  },
  {
    when: 'the transcript is still the one that the platform reported',
    rights: {
      'create-ticket': REPORTED_TRANSCRIPT,
      'sync-crm-b': REPORTED_TRANSCRIPT,
      'analyze-call': REPORTED_TRANSCRIPT,
      'repeat-analysis': REPORTED_TRANSCRIPT,
      'show-call': REPORTED_TRANSCRIPT,
    },
  },
  {
    when: 'a call is erased while a worker stores its transcript',
    rights: {
      'apply-voice-event': ['s3:DeleteObject files/transcripts/*'],
      'recover-calls': ['s3:DeleteObject files/transcripts/*'],
    },
  },
  {
    when: 'a test call that would be refused may be a repeat',
    rights: { 'place-test-call': ['dynamodb:GetItem calls'] },
  },
  {
    when: 'concurrent uploads changed the assistant first',
    rights: {
      'upload-knowledge': ['s3:DeleteObject files/knowledge/*'],
      'add-knowledge': ['s3:DeleteObject files/knowledge/*'],
    },
  },
  {
    when: 'a recording cannot be copied to its end',
    rights: { 'finish-call': ['s3:AbortMultipartUpload files/recordings/*'] },
  },
  {
    when: 'an analysis that a person repeats finds a do-not-call request',
    rights: {
      'repeat-analysis': [
        'dynamodb:GetItem do-not-call',
        'dynamodb:PutItem do-not-call',
        'secretsmanager:GetSecretValue secret/do-not-call-key',
      ],
    },
  },
  {
    when: 'the analysis by request is the first of its call',
    rights: { 'analyze-call': ['dynamodb:UpdateItem usage'], 'repeat-analysis': ['dynamodb:UpdateItem usage'] },
  },
  {
    when: "a call is ended at the platform, or its record read, by the organization's own calling number",
    rights: {
      'apply-voice-event': ['dynamodb:GetItem organizations'],
      'recover-calls': ['dynamodb:GetItem organizations'],
    },
  },
  {
    when: 'a call no longer waits just when it gets slots',
    rights: { 'hand-over-slots': ['dynamodb:GetItem calls'] },
  },
  {
    when: 'counters of slots are compared with the calls that hold them',
    rights: { 'hand-over-slots': ['dynamodb:Query calls/index/unfinished'] },
  },
  {
    when: 'a dial has to wait and is tried again',
    rights: { 'apply-voice-event': ['sqs:SendMessage dial'], 'dial-call': ['sqs:SendMessage dial'] },
  },
  {
    when: 'a worker or a message was lost at this very step, or much was spent in an hour',
    rights: {
      'recover-calls': [
        'dynamodb:PutItem callbacks',
        'dynamodb:PutItem claims',
        'dynamodb:Query credit-ledger',
        'sqs:SendMessage leads',
      ],
    },
  },
  { when: 'a lead waits for its CRM', rights: { 'process-lead': ['sqs:SendMessage leads'] } },
  {
    when: "the call of a lead gives way to another lead's call with the same phone",
    rights: { 'dial-call': ['sqs:SendMessage leads'] },
  },
  {
    when: 'a lead must no longer be called',
    rights: { 'dial-call': ['dynamodb:PutItem activity', 'dynamodb:UpdateItem activity'] },
  },
  {
    when: 'a lead was retried recently, or has a call',
    rights: { 'explain-lead': ['dynamodb:GetItem claims', 'dynamodb:BatchGetItem calls'] },
  },
  { when: 'calls are searched by the id of a lead', rights: { 'list-calls': ['dynamodb:BatchGetItem activity'] } },
  { when: 'the page has nothing to count', rights: { 'show-overview': ['dynamodb:Query activity/index/by-time'] } },
];
