import {
  accessAttributes,
  analysisAttributes,
  channelAttributes,
  consentAttributes,
  countedAnalyses,
  creditAttributes,
  crmB,
  doNotCall,
  helpDesk,
  model,
  oauthCallback,
  restAdmission,
  retention,
} from './common-uses.ts';
import { connectionUse, type FunctionRow, files, http, queueUrl, secret, setting, table } from './uses.ts';

/** Connection attributes in the updates that record a delivery. */
const deliveryAttributes = ['rejection', 'rejected_minutes', 'last_delivery_at', 'silent_since'];

/** The functions behind the routes of clients, CRMs and vendors: REST, webhooks and consents. */
export const httpFunctions = {
  'place-call': {
    entry: 'rest/place-call',
    trigger: http('POST /v1/calls/outbound'),
    uses: {
      ...restAdmission,
      ORGANIZATIONS_TABLE: table('organizations', ['BatchGetItem', 'UpdateItem'], undefined, creditAttributes),
      ASSISTANTS_TABLE: table('assistants', ['BatchGetItem']),
      CALLS_TABLE: table('calls', ['BatchGetItem', 'PutItem']),
      ...doNotCall('BatchGetItem'),
      ...retention,
      ALLOW_LOOPBACK_CALLBACKS: setting('allowLoopbackCallbacks'),
    },
    ifItFails:
      'No call is placed and no credit held; the client sees 500 or 503 and may repeat with its idempotency key.',
  },
  'get-call': {
    entry: 'rest/get-call',
    trigger: http('GET /v1/calls/{id}'),
    uses: {
      ...restAdmission,
      ORGANIZATIONS_TABLE: table('organizations', ['BatchGetItem']),
      CALLS_TABLE: table('calls', ['BatchGetItem']),
    },
    ifItFails: 'The client sees 500 or 503; no data changes.',
  },
  'upload-knowledge': {
    entry: 'rest/upload-knowledge',
    trigger: http('POST /v1/assistants/{id}/knowledge-base'),
    children: { 'extract-text': 'children/extract-text' },
    uses: {
      ...restAdmission,
      ORGANIZATIONS_TABLE: table('organizations', ['BatchGetItem']),
      ASSISTANTS_TABLE: table('assistants', ['BatchGetItem', 'UpdateItem'], undefined, [
        'assistant_id',
        'org_id',
        'knowledge_base',
      ]),
      CALL_FILES_BUCKET: files(['PutObject', 'DeleteObject'], 'knowledge/'),
    },
    // One full vCPU (Lambda guide, "Configure memory"), and room for the child process, which may use 450 MB.
    memoryMb: 1_769,
    isCostly: true,
    ifItFails: 'Nothing is added to the knowledge base; the client sees 500 or 503 and uploads again.',
  },
  'analyze-call': {
    entry: 'rest/analyze-call',
    trigger: http('POST /v1/calls/{id}/analyze'),
    uses: {
      ...countedAnalyses,
      ...restAdmission,
      ...model,
      ORGANIZATIONS_TABLE: table('organizations', ['BatchGetItem']),
      CALLS_TABLE: table('calls', ['BatchGetItem', 'UpdateItem'], undefined, analysisAttributes),
      ASSISTANTS_TABLE: table('assistants', ['BatchGetItem']),
      ...doNotCall('GetItem', 'PutItem'),
      CALL_FILES_BUCKET: files(['GetObject'], 'transcripts/', 'reported-transcripts/'),
    },
    timeoutSeconds: 29,
    isCostly: true,
    ifItFails: 'The client sees 500, 502 or 503 and may repeat; an earlier analysis stays.',
  },
  'open-recording': {
    entry: 'rest/open-recording',
    trigger: http('GET /api/recordings/{callId}'),
    uses: {
      CALLS_TABLE: table('calls', ['GetItem']),
      CALL_FILES_BUCKET: files(['GetObject'], 'recordings/'),
      RECORDING_LINK_KEY_ID: secret('recording-link-key'),
    },
    ifItFails: 'A person who opens a recording from CRM-B sees 500 or 503 and may try again.',
  },
  'show-openapi': {
    entry: 'rest/show-openapi',
    trigger: http('GET /openapi.json', 'GET /api/openapi-dashboard.json'),
    uses: {},
    ifItFails:
      'Clients cannot read the description of the API; docs/openapi.yaml and docs/openapi-dashboard.yaml have it, too.',
  },
  'answer-unknown-route': {
    entry: 'rest/answer-unknown-route',
    trigger: http('$default'),
    uses: {},
    ifItFails: "An unknown route answers 500 with API Gateway's body instead of 404.",
  },
  'receive-voice-message': {
    entry: 'webhooks/receive-voice-message',
    trigger: http('POST /api/webhooks/voice/vapi'),
    uses: {
      VOICE_EVENTS_QUEUE_URL: queueUrl('voice-events'),
      CALL_FILES_BUCKET: files(['PutObject'], 'reported-transcripts/'),
      VOICE_WEBHOOK_KEY_ID: secret('voice-webhook-key'),
    },
    ifItFails: 'The platform retries its message. If it gives up, recover-calls reads the call from it within minutes.',
  },
  'receive-crm-a-lead': {
    entry: 'webhooks/receive-crm-a-lead',
    trigger: http('POST /api/webhooks/crm-a/{connectionId}'),
    uses: {
      CONNECTIONS_TABLE: connectionUse(...deliveryAttributes, 'delivery_rhythm'),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
    },
    ifItFails: 'CRM-A sees 5xx and its leads are not called. After 10 failures in a row it disables the webhook.',
  },
  'confirm-crm-a-webhook': {
    entry: 'webhooks/confirm-crm-a-webhook',
    trigger: http('HEAD /api/webhooks/crm-a/{connectionId}', 'GET /api/webhooks/crm-a/{connectionId}'),
    uses: {},
    ifItFails: 'CRM-A refuses to register the webhook. Registered webhooks keep working.',
  },
  'connect-crm-b': {
    entry: 'oauth/connect-crm-b',
    trigger: http('GET /api/oauth/crm-b/callback'),
    uses: {
      ...crmB,
      ...oauthCallback,
      CONNECTIONS_TABLE: connectionUse(...accessAttributes, ...channelAttributes, ...consentAttributes),
    },
    timeoutSeconds: 29,
    ifItFails: 'The person who connects CRM-B sees 500 and starts again. Existing connections keep working.',
  },
  'connect-help-desk': {
    entry: 'oauth/connect-help-desk',
    trigger: http('GET /api/oauth/help-desk/callback'),
    uses: {
      ...helpDesk,
      ...oauthCallback,
      CONNECTIONS_TABLE: connectionUse('settings', ...accessAttributes, ...consentAttributes),
    },
    timeoutSeconds: 29,
    ifItFails: 'The person who connects the help desk sees 500 and starts again. Existing connections keep working.',
  },
  'receive-crm-b-notification': {
    entry: 'webhooks/receive-crm-b-notification',
    trigger: http('POST /api/webhooks/crm-b/{connectionId}'),
    uses: {
      CONNECTIONS_TABLE: connectionUse(...deliveryAttributes, 'catch_up_from', 'catch_up_to'),
      LEAD_EVENTS_QUEUE_URL: queueUrl('lead-events'),
    },
    ifItFails: 'CRM-B sees 5xx and does not retry. The next channel check catches up on the leads.',
  },
} as const satisfies Record<string, FunctionRow>;
