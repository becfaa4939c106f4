import type { FunctionName } from '../../../lib/functions.ts';

/** Rights that no suite uses, or not in every run. */
type Seldom = {
  /** When the functions use them. */
  when: string;
  functions: readonly FunctionName[];
  rights: readonly string[];
};

/** What the suites bring about only now and then, or not at all: the tests of units cover the code. */
export const seldomUsed: readonly Seldom[] = [
  {
    when: 'an access token of the CRM or the help desk has expired',
    functions: [
      'dial-call',
      'sunday-sweep',
      'renew-watch-channels',
      'confirm-consent',
      'disconnect-connection',
      'list-choices',
      'replace-token',
      'update-connection',
    ],
    rights: [
      'secretsmanager:GetSecretValue secret/crm-b-oauth',
      'secretsmanager:GetSecretValue secret/help-desk-oauth',
      'kms:Encrypt key',
      'dynamodb:UpdateItem connections',
    ],
  },
  {
    when: 'a consent takes the place of one that waits for its confirmation, or of another organization',
    functions: ['connect-crm-b', 'connect-help-desk'],
    rights: ['kms:Decrypt key'],
  },
  {
    when: 'the call that is canceled holds credit, a slot or claims, and its lead is told',
    functions: ['cancel-calls', 'process-lead', 'stop-call'],
    rights: [
      'dynamodb:UpdateItem organizations',
      'dynamodb:PutItem credit-ledger',
      'dynamodb:UpdateItem slots',
      'dynamodb:UpdateItem usage',
      'dynamodb:DeleteItem claims',
      'dynamodb:PutItem activity',
    ],
  },
  {
    when: 'the transcript is still the one that the platform reported',
    functions: ['create-ticket', 'sync-crm-b', 'analyze-call', 'repeat-analysis', 'show-call'],
    rights: ['s3:GetObject files/reported-transcripts/*'],
  },
  {
    when: 'an erased call is reported once more',
    functions: ['apply-voice-event'],
    rights: ['s3:DeleteObject files/reported-transcripts/*'],
  },
  {
    when: 'entries of others came first, or the assistant has files',
    functions: ['upload-knowledge', 'add-knowledge', 'delete-assistant'],
    rights: ['s3:DeleteObject files/knowledge/*'],
  },
  {
    when: 'a recording cannot be copied to its end',
    functions: ['finish-call'],
    rights: ['s3:AbortMultipartUpload files/recordings/*'],
  },
  {
    when: 'an analysis by request finds the wish not to be called, or is the last one of a call',
    functions: ['analyze-call', 'repeat-analysis'],
    rights: [
      'dynamodb:GetItem do-not-call',
      'dynamodb:PutItem do-not-call',
      'secretsmanager:GetSecretValue secret/do-not-call-key',
      'dynamodb:UpdateItem usage',
    ],
  },
  {
    when: "a call is ended at the platform, or its record read, by the organization's own calling number",
    functions: ['apply-voice-event', 'recover-calls'],
    rights: ['dynamodb:GetItem organizations'],
  },
  {
    when: 'the stage or the organization has a daily spend limit',
    functions: ['dial-call', 'show-overview'],
    rights: ['dynamodb:GetItem usage'],
  },
  {
    when: 'a call has reached the end of its retention',
    functions: ['publish-call-events'],
    rights: ['dynamodb:PutItem calls'],
  },
  {
    when: 'counters of slots are compared with the calls that hold them',
    functions: ['hand-over-slots'],
    rights: ['dynamodb:Query calls/index/unfinished'],
  },
  {
    when: 'a dial has to wait and is tried again',
    functions: ['apply-voice-event', 'dial-call'],
    rights: ['sqs:SendMessage dial'],
  },
  {
    when: 'the limit of live calls changes',
    functions: ['update-organization'],
    rights: ['sqs:SendMessage slots'],
  },
  {
    when: 'a worker or a message was lost, or much was spent in an hour',
    functions: ['recover-calls'],
    rights: [
      'dynamodb:Query callbacks',
      'dynamodb:PutItem callbacks',
      'dynamodb:UpdateItem callbacks',
      'dynamodb:PutItem claims',
      'dynamodb:Query credit-ledger',
      'sqs:SendMessage leads',
      'sqs:SendMessage dial',
      'sqs:SendMessage finish',
      'sqs:SendMessage callbacks',
    ],
  },
  {
    when: 'the next attempt is more than 15 minutes away',
    functions: ['notify-callback'],
    rights: ['scheduler:CreateSchedule schedule'],
  },
  { when: 'a lead waits for its CRM', functions: ['process-lead'], rights: ['sqs:SendMessage leads'] },
  { when: 'a lead is called no more', functions: ['dial-call'], rights: ['dynamodb:PutItem activity'] },
  {
    when: "the platform's record is not complete yet",
    functions: ['finish-call'],
    rights: ['sqs:SendMessage finish'],
  },
  {
    when: 'a lead was retried recently, or a page lists leads of several events or has nothing to count',
    functions: ['explain-lead', 'list-calls', 'show-overview'],
    rights: [
      'dynamodb:GetItem claims',
      'dynamodb:BatchGetItem calls',
      'dynamodb:BatchGetItem activity',
      'dynamodb:Query activity/index/by-time',
    ],
  },
  {
    when: 'an owner is invited',
    functions: ['invite-member'],
    rights: ['dynamodb:UpdateItem organizations'],
  },
];
